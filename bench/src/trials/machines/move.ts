import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { startPostgres } from '@chiffchaff/server/testing/start-postgres';
import { startS3 } from '@chiffchaff/server/testing/start-s3';
import { withoutAttemptLimits } from '../../harness/accounts.ts';
import { ask, askIdentity, askPrediction, codeOf } from '../../harness/api.ts';
import { round } from '../../harness/measures.ts';
import { password } from '../../harness/people.ts';
import { makeDataFolder, type StartedServer, startServer } from '../../harness/server.ts';
import { makeSounds } from '../crash/sounds.ts';
import { type Person, renewToken, signUpPerson } from './people.ts';
import { tableOf } from './table.ts';

const command = fileURLToPath(new URL('../../../../apps/server/src/move/move-command.ts', import.meta.url));
const accounts = 20;
const predictionsEach = 25;
const keepings = ['moments', 'recording', 'nothing'] as const;
const many = '1000000/86400';
const environment = {
  ...withoutAttemptLimits,
  OPEN_PREDICTION: 'false',
  LOG_LEVEL: 'error',
  QUOTA_PER_ACCOUNT: many,
  QUOTA_PER_CLIENT: many,
  QUOTA_MEGABYTES_PER_ACCOUNT: many,
  QUOTA_MEGABYTES_PER_CLIENT: many,
};
/** The command is killed after this long, then after longer and longer, until it gets done. */
const firstKillMs = 1500;
const longerBy = 1.6;

/** What a person finds under an id: the prediction with its reviews, and the hash of the audio that is kept. */
type Found = Readonly<Record<string, { readonly stored: unknown; readonly sound: string }>>;

/** Moves 500 predictions of 20 accounts from one machine to PostgreSQL and S3, and back. Kills the command on each way. */
export async function runMove(say: (line: string) => void) {
  await using stack = new AsyncDisposableStack();
  const wrong: string[] = [];
  const [postgres, storage] = await Promise.all([startPostgres({ fsync: true }), startS3()]);
  stack.defer(async () => void (await Promise.all([postgres.stop(), storage.stop()])));
  const stores = { ...storage.environment, DATABASE_URL: postgres.url };

  /** Runs a server, and ends it. */
  async function served<T>(dataDir: string, other: Readonly<Record<string, string>>, use: (server: StartedServer) => Promise<T>) {
    const server = await startServer({ ...environment, ...other }, { dataDir, asGroup: true });
    try {
      return await use(server);
    } finally {
      await server.stop();
    }
  }

  const [first, second, last] = [await makeDataFolder(), await makeDataFolder(), await makeDataFolder()];
  say(`${accounts * predictionsEach} predictions of ${accounts} accounts`);
  const people: Person[] = [];
  const before = await served(first, {}, async ({ origin }) => {
    for (let one = 0; one < accounts; one += 1) people.push(await signUpPerson(origin));
    await Promise.all(people.map((person) => sendAll(origin, person)));
    return findAll(origin, people);
  });

  const table: Record<string, string | number>[] = [];
  async function move(way: 'there' | 'back', dataDir: string): Promise<void> {
    const run = (killAfterMs: number | null) =>
      runCommand(way === 'back' ? ['back'] : [], { ...stores, DATA_DIR: dataDir }, killAfterMs);
    let killAfterMs = firstKillMs;
    let kills = 0;
    let whole = await run(killAfterMs);
    for (; whole.killed; kills += 1) {
      killAfterMs *= longerBy;
      whole = await run(killAfterMs);
    }
    const again = await run(null);
    table.push({ way, kills, 'last run, s': round(whole.ms / 1000), 'to compare, s': round(again.ms / 1000) });
    say(whole.output.trimEnd());
    for (const { code, output } of [whole, again]) if (code !== 0) wrong.push(`${way}: ended with ${code}: ${output}`);
    if (kills === 0) wrong.push(`${way}: it was never killed`);
  }

  async function compare(where: string, dataDir: string, other: Readonly<Record<string, string>>): Promise<void> {
    const found = await served(dataDir, other, async ({ origin }) => {
      for (const person of people) {
        const renewed = await renewToken(origin, person);
        const signedIn = await askIdentity(origin, 'signInWithPassword', {
          email: person.email,
          password,
          returnSecureToken: true,
        });
        for (const answer of [renewed, signedIn])
          if (answer.status !== 200) wrong.push(`${where}: signing in: ${codeOf(answer)}`);
      }
      return findAll(origin, people);
    });
    const ids = new Set([...Object.keys(before), ...Object.keys(found)]);
    const different = [...ids].filter((id) => !isDeepStrictEqual(before[id], found[id]));
    if (different.length > 0) wrong.push(`${where}: ${different.length} of ${ids.size} predictions differ: ${different[0]}`);
    const sounds = Object.values(found).filter(({ sound }) => sound !== 'none').length;
    say(
      `${where}: ${people.length} people signed in, ${ids.size - different.length} predictions and ${sounds} sounds are the same`,
    );
  }

  await move('there', first);
  await compare('on PostgreSQL and S3', second, stores);
  await move('back', last);
  await compare('back on one machine', last, {});
  say(tableOf(table));
  return { report: { predictions: Object.keys(before).length, table, wrong }, passed: wrong.length === 0 };
}

async function sendAll(origin: string, { token }: Person): Promise<void> {
  const sounds = (await makeSounds()).filter(({ bytes }) => bytes.length < 1_500_000);
  for (let one = 0; one < predictionsEach; one += 1) {
    const sound = sounds[one % sounds.length];
    if (sound === undefined) throw new Error('There is no sound');
    const fields = { keepAudio: keepings[one % keepings.length] ?? 'nothing' };
    const answer = await askPrediction(origin, { ...sound, token, fields, key: `key-${one}` });
    if (answer.status !== 200) throw new Error(`A recording was answered ${codeOf(answer)}`);
    const bird = one % 2 === 0 ? 'Turdus merula' : 'Parus major';
    const reviewed = await ask(origin, 'PUT', `/v1/predictions/${answer.body.id}/reviews/${encodeURIComponent(bird)}`, {
      token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ verdict: 'added' }),
    });
    if (reviewed.status !== 200) throw new Error(`A review was answered ${codeOf(reviewed)}`);
  }
}

async function findAll(origin: string, people: readonly Person[]): Promise<Found> {
  const found: Record<string, Found[string]> = {};
  for (const { token } of people) {
    const listed = await ask(origin, 'GET', '/v1/predictions?limit=200', { token });
    if (listed.status !== 200) throw new Error(`A history was answered ${codeOf(listed)}`);
    for (const { id } of listed.body.predictions) {
      const { body: stored } = await ask(origin, 'GET', `/v1/predictions/${id}`, { token });
      found[id] = { stored, sound: await hashSound(origin, id, token) };
    }
  }
  return found;
}

/** Kept audio may still be in preparation. */
async function hashSound(origin: string, id: string, token: string): Promise<string> {
  for (;;) {
    const played = await fetch(`${origin}/v1/predictions/${id}/audio`, { headers: { authorization: `Bearer ${token}` } });
    const bytes = new Uint8Array(await played.arrayBuffer());
    if (played.status === 404) return 'none';
    if (played.status === 200) return createHash('sha256').update(bytes).digest('hex');
    if (played.status !== 503) return String(played.status);
    await delay(100);
  }
}

async function runCommand(words: readonly string[], other: Readonly<Record<string, string>>, killAfterMs: number | null) {
  const beganAt = performance.now();
  const { PATH, TMPDIR } = process.env;
  const child: ChildProcess = spawn(process.execPath, [command, ...words], {
    env: { PATH, TMPDIR, ...other },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text));
  const killing = killAfterMs === null ? null : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const [code, signal] = await once(child, 'close');
  clearTimeout(killing ?? undefined);
  return { code, output, killed: signal === 'SIGKILL', ms: performance.now() - beganAt };
}

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, open, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withoutAttemptLimits } from '../../../harness/accounts.ts';
import { type Answer, ask, askIdentity, askPrediction, codeOf } from '../../../harness/api.ts';
import { password } from '../../../harness/people.ts';
import { fallingNotes } from '../../../harness/recordings.ts';
import { makeDataFolder, startServer } from '../../../harness/server.ts';
import type { Attack } from '../attack.ts';

const run = promisify(execFile);
const DISK_MEGABYTES = 96;
const PREDICTIONS = 24;
const MOST_SIGN_UPS = 300;

interface Person {
  readonly email: string;
  readonly token: string;
}

/** Fills the disk of the data folder: a small file system in memory. Mounting it requires root. */
export const fullDisk: Attack = async ({ checkout, say }) => {
  const disk = await mkdtemp(join(tmpdir(), 'chiffchaff-disk-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MEGABYTES}m,mode=0700`, 'chiffchaff-trial', disk]);
  } catch (error) {
    await rm(disk, { recursive: true });
    return {
      skipped: `no small file system can be mounted here: ${error instanceof Error ? error.message.trim() : error}`,
      faults: [],
    };
  }
  try {
    return await fillDisk(disk, checkout, say);
  } finally {
    await run('umount', [disk]);
    await rm(disk, { recursive: true });
  }
};

async function fillDisk(dataDir: string, checkout: string | undefined, say: (line: string) => void) {
  const installed = await makeDataFolder();
  for (const name of await readdir(installed)) await symlink(join(installed, name), join(dataDir, name));
  const environment = { ...withoutAttemptLimits, OPEN_PREDICTION: 'false', MIN_FREE_DISK_BYTES: '0' };
  const server = await startServer(environment, { dataDir, ...(checkout === undefined ? {} : { checkout }) });
  const { origin } = server;
  const faults: string[] = [];
  const answers: Record<string, string> = {};
  const expectAnswer = (what: string, expected: RegExp, answer: Answer): Answer => {
    answers[what] = codeOf(answer);
    if (!expected.test(codeOf(answer))) faults.push(`${what} is answered ${codeOf(answer)}`);
    return answer;
  };
  const signUp = (): Promise<Answer> =>
    askIdentity(origin, 'signUp', { email: `${randomUUID()}@example.org`, password, returnSecureToken: true });
  const person = async (): Promise<Person> => {
    const { body } = await signUp();
    return { email: body.email, token: body.idToken };
  };
  const notes = { name: 'notes.wav', bytes: new Uint8Array(fallingNotes(8).buffer) };
  const listed = async ({ token }: Person): Promise<number> =>
    (await ask(origin, 'GET', '/v1/predictions?limit=100', { token })).body.predictions.length;
  try {
    const [ann, bob, eve] = [await person(), await person(), await person()];
    let id = '';
    for (let n = 0; n < PREDICTIONS; n += 1) {
      for (const { token } of [ann, bob])
        id = (await askPrediction(origin, { token, ...notes, fields: { keepAudio: 'nothing' } })).body.id;
    }
    const filler = join(dataDir, 'filler');
    say(`The disk is filled with ${Math.round((await fill(filler)) / 1e6)} MB …`);
    let refusal = await signUp();
    let signUps = 0;
    // Sign-ups first use up the space that the write-ahead log already has.
    for (; refusal.status === 200 && signUps < MOST_SIGN_UPS; signUps += 1) refusal = await signUp();
    expectAnswer('sign-up', /^507 /, refusal);
    expectAnswer('prediction', /^507 /, await askPrediction(origin, { token: ann.token, ...notes }));
    expectAnswer('GET /healthz', /^200$/, await ask(origin, 'GET', '/healthz'));
    expectAnswer('GET /readyz', /^503 NOT_READY$/, await ask(origin, 'GET', '/readyz'));
    expectAnswer('GET a prediction', /^200$/, await ask(origin, 'GET', `/v1/predictions/${id}`, { token: bob.token }));
    expectAnswer(
      'sign-in',
      /^(200|507 .*)$/,
      await askIdentity(origin, 'signInWithPassword', { email: eve.email, password, returnSecureToken: true }),
    );
    const deleted = expectAnswer(
      'DELETE a prediction',
      /^200$/,
      await ask(origin, 'DELETE', `/v1/predictions/${id}`, { token: bob.token }),
    );
    if (deleted.status === 200 && (await listed(bob)) !== PREDICTIONS - 1) faults.push('the deleted prediction is still listed');
    expectAnswer('DELETE all predictions', /^200$/, await ask(origin, 'DELETE', '/v1/predictions', { token: bob.token }));
    expectAnswer('sign out everywhere', /^200$/, await ask(origin, 'DELETE', '/v1/account/sessions', { token: bob.token }));
    expectAnswer('delete an account', /^200$/, await askIdentity(origin, 'delete', { idToken: eve.token }));
    // The deletions have freed some space.
    expectAnswer('sign-up after deleting', /^(200|507 .*)$/, await signUp());
    expectAnswer(
      'sign-in of the deleted account',
      /^400 /,
      await askIdentity(origin, 'signInWithPassword', { email: eve.email, password }),
    );
    if ((await listed(ann)) !== PREDICTIONS) faults.push('another account has lost predictions');
    say('There is room again …');
    await rm(filler);
    expectAnswer('sign-up with room', /^200$/, await signUp());
    expectAnswer('prediction with room', /^200$/, await askPrediction(origin, { token: ann.token, ...notes }));
    expectAnswer('GET /readyz with room', /^200$/, await ask(origin, 'GET', '/readyz'));
    return { diskMegabytes: DISK_MEGABYTES, signUpsBeforeRefusal: signUps, answers, faults };
  } finally {
    await server.stop();
    await rm(installed, { recursive: true, force: true });
  }
}

/** Writes until the disk is full. @returns bytes */
async function fill(path: string): Promise<number> {
  const file = await open(path, 'w');
  let bytes = 0;
  try {
    for (let chunk = Buffer.alloc(65_536, 1); ; ) {
      try {
        bytes += (await file.write(chunk)).bytesWritten;
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
        if (chunk.length === 1) return bytes;
        chunk = chunk.subarray(0, chunk.length >> 4 || 1);
      }
    }
  } finally {
    await file.close();
  }
}

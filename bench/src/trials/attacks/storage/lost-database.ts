import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signUpSomebody, withoutAttemptLimits } from '../../../harness/accounts.ts';
import { ask, askIdentity, askPrediction, codeOf } from '../../../harness/api.ts';
import { password } from '../../../harness/people.ts';
import { fallingNotes } from '../../../harness/recordings.ts';
import { makeDataFolder, startServer } from '../../../harness/server.ts';
import type { Attack } from '../attack.ts';

const pageBytes = 4096;

/** Ways to lose the database file of a running server. */
const losses: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  removed: (path) => rm(path),
  renamed: (path) => rename(path, `${path}-elsewhere`),
  'replaced by a copy': async (path) => {
    const bytes = await readFile(path);
    await rm(path);
    await writeFile(path, bytes);
  },
  'without its log': (path) => rm(`${path}-wal`),
};

/** Removes, moves or replaces the database file of a running server, and damages one before a server starts. */
export const lostDatabase: Attack = async ({ checkout, say }) => {
  const faults: string[] = [];
  const figures: Record<string, unknown> = {};
  const at = checkout === undefined ? {} : { checkout };
  const environment = { ...withoutAttemptLimits, OPEN_PREDICTION: 'false', MIN_FREE_DISK_BYTES: '0' };
  const notes = fallingNotes(3);

  for (const [what, lose] of Object.entries(losses)) {
    say(`The database is ${what} …`);
    const server = await startServer(environment, at);
    try {
      const { origin } = server;
      const token = await signUpSomebody(origin);
      await lose(join(server.dataDir, 'chiffchaff.sqlite'));
      const email = `${randomUUID()}@example.org`;
      const answers = {
        signUp: codeOf(await askIdentity(origin, 'signUp', { email, password })),
        prediction: codeOf(await askPrediction(origin, { token, name: notes.name, bytes: new Uint8Array(notes.buffer) })),
        ready: codeOf(await ask(origin, 'GET', '/readyz')),
        health: codeOf(await ask(origin, 'GET', '/healthz')),
      };
      figures[what] = answers;
      for (const [asked, answer] of Object.entries(answers)) {
        if (asked === 'health' ? answer !== '200' : !answer.startsWith('503 '))
          faults.push(`${what}: ${asked} is answered ${answer}`);
      }
      if (!/is not the file any more/.test(server.written())) faults.push(`${what}: the log does not say so`);
    } finally {
      await server.kill();
      await rm(server.dataDir, { recursive: true, force: true });
    }
  }

  say('Pages are damaged before a start …');
  const dataDir = await makeDataFolder();
  try {
    const first = await startServer(environment, { ...at, dataDir });
    for (let n = 0; n < 40; n += 1) await signUpSomebody(first.origin);
    await first.stop();
    const path = join(dataDir, 'chiffchaff.sqlite');
    const bytes = await readFile(path);
    // Spare the first pages, which contain the schema.
    for (let page = 12; page * pageBytes < bytes.length; page += 2) bytes.fill(0xff, page * pageBytes, page * pageBytes + 64);
    await writeFile(path, bytes);
    const second = await startServer(environment, { ...at, dataDir }).catch((error: unknown) => String(error));
    if (typeof second === 'string') figures['damaged before a start'] = second.split('\n').at(-2) ?? second;
    else {
      const email = `${randomUUID()}@example.org`;
      const answers = {
        ready: codeOf(await ask(second.origin, 'GET', '/readyz')),
        signUp: codeOf(await askIdentity(second.origin, 'signUp', { email, password })),
      };
      figures['damaged before a start'] = answers;
      faults.push(`damaged: the server starts, and answers ${JSON.stringify(answers)}`);
      await second.kill();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
  return { ...figures, faults };
};

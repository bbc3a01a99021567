import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { askIdentity } from '../api.ts';

const server = fileURLToPath(new URL('../../../apps/server/src/', import.meta.url));
const run = promisify(execFile);

/** Accounts that an older version of the server had made, by their address. */
export interface OlderFolder {
  readonly emails: readonly string[];
  readonly password: string;
}

/** Fills a data folder as the first version would have left it. */
export async function makeOlderFolder(dataDir: string): Promise<OlderFolder> {
  const { stdout } = await run(process.execPath, [`${server}identity/testing/make-older-folder.ts`, dataDir]);
  return JSON.parse(stdout);
}

/** Whether everybody of before can still sign in. */
export async function verifyOlderFolder(origin: string, { emails, password }: OlderFolder): Promise<string[]> {
  const faults: string[] = [];
  for (const email of emails) {
    const { status } = await askIdentity(origin, 'signInWithPassword', { email, password });
    if (status !== 200) faults.push(`after a migration ${email} is answered ${status}`);
  }
  return faults;
}

/** `npm run backup`, as an operator runs it beside a running server. */
export async function backUpFolder(dataDir: string, destination: string): Promise<void> {
  await run(process.execPath, [`${server}database/back-up-command.ts`, destination], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir },
  });
}

/** What `npm run backup -- --check` has against a data folder whose server has ended. */
export async function checkFolder(dataDir: string): Promise<string[]> {
  try {
    await run(process.execPath, [`${server}database/back-up-command.ts`, '--check', dataDir]);
    return [];
  } catch (error) {
    return [error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error)];
  }
}

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DATABASE_FILE_NAME } from '../open-sqlite.ts';
import { damaged } from '../sqlite-error.ts';

const program = fileURLToPath(new URL('check-pages-command.ts', import.meta.url));

/**
 * Checks the pages of a data folder's database (`quick_check`) before it is opened. Runs in a separate process, which can be killed after
 * `budgetMs` and frees its memory when it ends.
 *
 * @param budgetMs how long the check may take
 * @returns whether the check was completed
 * @throws DatabaseError FILE_DAMAGED
 */
export async function checkPages(folder: string, budgetMs: number): Promise<boolean> {
  const path = join(folder, DATABASE_FILE_NAME);
  if (!existsSync(path)) return true;
  const checking = promisify(execFile)(process.execPath, [program, path], { timeout: budgetMs, killSignal: 'SIGKILL' });
  const found = await checking.then(
    ({ stdout }) => stdout.trim(),
    // It was killed, or could not be started.
    () => null,
  );
  if (found !== null && found !== 'ok') throw damaged(DATABASE_FILE_NAME, { cause: new Error(found) });
  return found !== null;
}

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const server = fileURLToPath(new URL('../../../../apps/server/src/', import.meta.url));
const run = promisify(execFile);

/** Runs `npm run backup` as an operator does, while the server runs. @returns faults of the backup */
export async function backUpFolder(dataDir: string, destination: string): Promise<string[]> {
  return (await report([destination], { DATA_DIR: dataDir })).faults;
}

/** The faults that `npm run backup -- --check` finds in a data folder, whether or not a server is running on it. */
export const checkFolder = async (dataDir: string): Promise<string[]> => (await readReport(dataDir)).faults;

/** What remains in a data folder after all accounts have been deleted. */
export async function whatIsLeft(dataDir: string): Promise<string[]> {
  const { rows, faults } = await readReport(dataDir);
  const personal = [
    'accounts',
    'predictions',
    'predictionEvidence',
    'predictionSpecies',
    'predictionReviews',
    'firstAnswers',
    'keptSounds',
  ];
  const others = ['accountSettings', 'resumableUploads', 'accountDeletions', 'termsAcceptances'];
  const left = [...personal, ...others].filter((table) => rows.get(table) !== 0);
  const folders = ['uploads', 'audio', 'resumable-uploads'];
  // Empty folders contain no data of any account; the next start removes them.
  const files = folders.flatMap((name) =>
    readdirSync(join(dataDir, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  return [
    ...faults,
    ...left.map((table) => `${rows.get(table)} rows of ${table} are left when all accounts are deleted`),
    ...files.map((file) => `${file} is left when all accounts are deleted`),
  ];
}

const readReport = (dataDir: string) => report(['--check', dataDir]);

async function report(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const command = [`${server}database/back-up-command.ts`, ...words];
  const { stdout, stderr } = await run(process.execPath, command, { env: { PATH: process.env.PATH, ...environment } }).catch(
    (error: unknown) => {
      if (error instanceof Error && 'stdout' in error && 'stderr' in error) return error;
      throw error;
    },
  );
  const lines = `${stdout}\n${stderr}`.split('\n');
  // A server that has started tidies up, so here even the command's notes are faults.
  const faults = lines.filter((line) => /^[✗·] /.test(line));
  const rows = new Map(
    lines.flatMap((line) => {
      const [, table, count] = /^ {2}(\w+): (\d+)$/.exec(line) ?? [];
      return table === undefined ? [] : [[table, Number(count)] as const];
    }),
  );
  if (rows.size === 0) faults.push(`the data folder could not be read: ${stderr}`);
  return { rows, faults };
}

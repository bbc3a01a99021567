/**
 * What the stores of servers hold, seen from outside: a data folder by `npm run backup`, PostgreSQL and S3 by queries and lists. All work
 * must have ended, once, and left nothing over.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { STORAGE_ID } from '@chiffchaff/server/storage/object-storage';
import { STORAGE_FOLDERS } from '@chiffchaff/server/testing/start-s3';
import { lookUntil } from '../../harness/measures.ts';
import { runProgram } from '../../harness/processes.ts';
import { thisCheckout } from '../../harness/server.ts';
import type { Cluster } from './machines.ts';

/** Tables that have rows even when all accounts are deleted, also of sessions that have ended. */
const IMPERSONAL = ['lastTimes', 'sessions', 'settings', 'setupCodes', 'sharedValues', 'signingKeys', 'troubles', 'workers'];

/** The faults that `npm run backup -- --check` finds in a data folder, whether or not a server is running on it. */
export const checkFolder = async (dataDir: string, checkout?: string): Promise<readonly string[]> =>
  (await readFolder(dataDir, checkout)).faults;

/** What remains in a data folder after all accounts have been deleted. @returns faults */
export async function whatIsLeft(dataDir: string, checkout?: string): Promise<readonly string[]> {
  const { rows, faults } = await readFolder(dataDir, checkout);
  // Empty folders contain no data of any account; the next start removes them.
  const files = STORAGE_FOLDERS.flatMap((name) =>
    readdirSync(join(dataDir, name), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
  );
  const left = [
    ...rows.flatMap(([table, count]) => (count > 0 && !IMPERSONAL.includes(table) ? [`${count} rows of ${table}`] : [])),
    ...files.map(({ parentPath, name }) => join(parentPath, name)),
  ];
  return [...faults, ...left.map((what) => `${what} left when all accounts are deleted`)];
}

async function readFolder(dataDir: string, checkout = thisCheckout) {
  const command = [join(checkout, 'apps/server/src/database/back-up-command.ts'), '--check', dataDir];
  const { output } = await runProgram(command, {});
  const rows = [...output.matchAll(/^ {2}(\w+): (\d+)$/gm)].map(([, table = '', count]) => [table, Number(count)] as const);
  // A server that has started tidies up, so here even the command's notes are faults.
  const faults = rows.length === 0 ? [`the data folder could not be read: ${output}`] : (output.match(/^[✗·] .*$/gm) ?? []);
  return { rows, faults };
}

/** Another machine tidies up after a killed one within this time. */
const TIDIED_WITHIN_MS = 200_000;
const LOOK_EVERY_MS = 1_000;

/** From now on a database trigger records each time that a prediction gets its result, as an independent witness. */
export async function watchAnswers({ query }: Cluster): Promise<void> {
  await query(`
    CREATE TABLE trial_answers (prediction text NOT NULL, upload text);
    CREATE FUNCTION trial_note_answer() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO trial_answers VALUES (NEW.id, NEW."uploadName"); RETURN NULL; END $$;
    CREATE TRIGGER trial_answers AFTER UPDATE OF state ON predictions FOR EACH ROW
      WHEN (NEW.state = 'done' AND OLD.state <> 'done') EXECUTE FUNCTION trial_note_answer();
  `);
}

/** Checks PostgreSQL and S3, after `watchAnswers`, until nothing is wrong or nobody tidies up any more. @returns faults */
export async function checkStores(cluster: Cluster): Promise<readonly string[]> {
  const find = async () => [...(await findRows(cluster)), ...(await findOrphans(cluster))];
  return lookUntil(find, ({ length }) => length === 0, { withinMs: TIDIED_WITHIN_MS, everyMs: LOOK_EVERY_MS });
}

async function findRows({ query }: Cluster): Promise<readonly string[]> {
  const counts = await query<{ readonly count: string; readonly what: string }>(`
    SELECT count(*), 'predictions have neither answer nor reason' AS what FROM predictions WHERE state NOT IN ('done', 'failed')
    UNION SELECT count(*), 'predictions with an answer still have their recording' FROM predictions WHERE "uploadName" IS NOT NULL
    UNION SELECT count(*), 'jobs are left in the queue' FROM pgboss.job WHERE name LIKE '%predictions'
    UNION SELECT count(*), 'predictions were answered more than once'
      FROM (SELECT 1 FROM trial_answers GROUP BY prediction HAVING count(*) > 1) AS more_than_once
  `);
  return counts.flatMap(({ count, what }) => (Number(count) > 0 ? [`${count} ${what}`] : []));
}

/** Objects that no row names. */
async function findOrphans({ query, storage }: Cluster): Promise<readonly string[]> {
  const owners = await query<{ readonly name: string }>(`
    SELECT "uploadName" AS name FROM predictions WHERE "uploadName" IS NOT NULL
    UNION SELECT id FROM "keptSounds" UNION SELECT id FROM "resumableUploads"
  `);
  const names = new Set([STORAGE_ID, ...owners.map(({ name }) => name)]);
  const answers = await query<{ readonly upload: string }>('SELECT upload FROM trial_answers');
  const answered = new Set(answers.map(({ upload }) => upload));
  const orphans = (await storage.list()).filter((object) => {
    const parts = object.split(/[/.]/);
    // Uploads that a web machine was storing when it was killed, or that were cancelled just then, are deleted a day later.
    const isLeft = object.startsWith('uploads/') && !parts.some((part) => answered.has(part));
    return !isLeft && !parts.some((part) => names.has(part));
  });
  if (orphans.length === 0) return [];
  return [`${orphans.length} objects belong to nothing: ${orphans.slice(0, 5).join(', ')}`];
}

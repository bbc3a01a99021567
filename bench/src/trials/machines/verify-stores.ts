import { setTimeout as delay } from 'node:timers/promises';
import { STORAGE_ID } from '@chiffchaff/server/machines/one-storage';
import type { Cluster } from './cluster.ts';

/** Another machine tidies up after a killed one within this time. */
const TIDIED_WITHIN_MS = 200_000;
const LOOK_EVERY_MS = 1_000;

/** From now on a database trigger records each time that a prediction gets its result, as an independent witness. */
export async function watchAnswers({ query }: Cluster): Promise<void> {
  await query(`
    CREATE TABLE trial_answers (prediction text NOT NULL, upload text, at timestamptz NOT NULL DEFAULT clock_timestamp());
    CREATE FUNCTION trial_note_answer() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO trial_answers VALUES (NEW.id, NEW."uploadName"); RETURN NULL; END $$;
    CREATE TRIGGER trial_answers AFTER UPDATE OF state ON predictions FOR EACH ROW
      WHEN (NEW.state = 'done' AND OLD.state <> 'done') EXECUTE FUNCTION trial_note_answer();
  `);
}

/** Checks that all work has ended, once, and has left nothing behind. @returns faults */
export async function verifyStores(cluster: Cluster): Promise<readonly string[]> {
  const deadline = performance.now() + TIDIED_WITHIN_MS;
  let found = await findFaults(cluster);
  while (found.length > 0 && performance.now() < deadline) {
    await delay(LOOK_EVERY_MS);
    found = await findFaults(cluster);
  }
  return found;
}

async function findFaults({ query, storage }: Cluster): Promise<readonly string[]> {
  const counts: Readonly<Record<string, string>> = {
    'predictions have neither answer nor reason': `predictions WHERE state NOT IN ('done', 'failed')`,
    'predictions with an answer still have their recording': 'predictions WHERE "uploadName" IS NOT NULL',
    'jobs are left in the queue': `pgboss.job WHERE name LIKE '%predictions'`,
    'predictions were answered more than once':
      '(SELECT 1 FROM trial_answers GROUP BY prediction HAVING count(*) > 1) AS more_than_once',
  };
  const faults: string[] = [];
  for (const [what, rows] of Object.entries(counts)) {
    const [row] = await query<{ readonly count: string }>(`SELECT count(*) FROM ${rows}`);
    if (Number(row?.count) > 0) faults.push(`${row?.count} ${what}`);
  }
  const owners = await query<{ readonly name: string }>(`
    SELECT "uploadName" AS name FROM predictions WHERE "uploadName" IS NOT NULL
    UNION SELECT id FROM "keptSounds" UNION SELECT id FROM "resumableUploads"
  `);
  const names = new Set([STORAGE_ID, ...owners.map(({ name }) => name)]);
  const answers = await query<{ readonly upload: string; readonly at: Date }>('SELECT upload, at FROM trial_answers');
  const answeredAt = new Map(answers.map(({ upload, at }) => [upload, at.toISOString()]));
  // Uploads that a web machine was storing when it was killed, or that were cancelled just then, are deleted a day later.
  const isYoungStray = (object: string): boolean =>
    object.startsWith('uploads/') && !object.split(/[/.]/).some((part) => answeredAt.has(part));
  const orphans = (await storage.list()).filter(
    (object) => !object.split(/[/.]/).some((part) => names.has(part)) && !isYoungStray(object),
  );
  const some = orphans.slice(0, 5).map(async (object) => {
    const at = object.split(/[/.]/).flatMap((part) => answeredAt.get(part) ?? [])[0];
    return `${object} (stored ${(await storage.storedAt(object))?.toISOString()}${at === undefined ? '' : `, answered ${at}`})`;
  });
  if (orphans.length > 0) faults.push(`${orphans.length} objects belong to nothing: ${(await Promise.all(some)).join(', ')}`);
  return faults;
}

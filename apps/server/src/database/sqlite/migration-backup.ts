import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';

/** Below `DATA_DIR`. */
export const MIGRATION_BACKUP_FOLDER = 'migration-backups';
/** Deleted data must not live on in a backup forever. */
export const MIGRATION_BACKUP_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * Backs up a database before its schema changes, so that the previous version can be started again with it. Backups are complete and
 * compact (`VACUUM INTO`), get their name only once they are complete, and are kept for 30 days.
 *
 * @param step the step of the schema before the change
 * @returns path of the backup
 */
export function backUpBeforeMigration(sqlite: Sqlite.Database, folder: string, step: number, now = Date.now()): string {
  const copies = join(folder, MIGRATION_BACKUP_FOLDER);
  mkdirSync(copies, { recursive: true, mode: 0o700 });
  const stamp = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const path = join(copies, `chiffchaff-step-${step}-${stamp}.sqlite`);
  const part = `${path}.part`;
  rmSync(part, { force: true });
  sqlite.prepare('VACUUM INTO ?').run(part);
  chmodSync(part, 0o600);
  renameSync(part, path);
  return path;
}

/** Deletes expired backups, and partial ones left by a killed process. */
export function removeOldMigrationBackups(folder: string, now = Date.now()): void {
  const copies = join(folder, MIGRATION_BACKUP_FOLDER);
  const names = readdirSync(folder).includes(MIGRATION_BACKUP_FOLDER) ? readdirSync(copies) : [];
  for (const name of names) {
    const path = join(copies, name);
    if (name.endsWith('.part') || now - statSync(path).mtimeMs > MIGRATION_BACKUP_DAYS * DAY_MS) rmSync(path, { force: true });
  }
}

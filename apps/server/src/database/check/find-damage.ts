import type Sqlite from 'better-sqlite3';
import { isDamage } from '../storage-error.ts';

/**
 * What SQLite says of pages that are not as they should be; some keep it from looking any further.
 *
 * @param check every page, with the indexes compared or without, which takes half the time
 */
export function findDamage(sqlite: Sqlite.Database, check: 'integrity_check' | 'quick_check'): string[] {
  try {
    const lines = sqlite.pragma(check) as Readonly<Record<typeof check, string>>[];
    return lines.map((line) => line[check]).filter((line) => line !== 'ok');
  } catch (error) {
    if (isDamage(error)) return [error.message];
    throw error;
  }
}

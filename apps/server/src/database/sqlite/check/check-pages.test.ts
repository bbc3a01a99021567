import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqlite } from '../open-sqlite.ts';
import { checkPages } from './check-pages.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chiffchaff-pages-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('The check of the database’s pages finds no fault in a healthy database, or without a database', async () => {
  expect(await checkPages(folder, 60_000)).toBe(true);
  await openSqlite(folder).close();
  expect(await checkPages(folder, 60_000)).toBe(true);
});

it('The check of the database’s pages ends when its time is up, and says so', async () => {
  await openSqlite(folder).close();
  expect(await checkPages(folder, 1)).toBe(false);
});

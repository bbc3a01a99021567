import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../database/database.ts';
import { migrations } from '../../database/migrations.ts';
import { createDatabaseOfSteps, databaseKinds } from '../../testing/database-of-steps.ts';
import { createSoundStore } from './sound-store.ts';

const stepBefore = migrations.findIndex(({ name }) => name === '0023-short-recordings');
const choices = ['nothing', 'moments', 'recording'] as const;

/** Reads and writes as a program of the step before. */
const readBefore = async ({ query }: Database, accountId: string) =>
  (await query.selectFrom('accountSettings').select('keepAudio').where('accountId', '=', accountId).executeTakeFirst())
    ?.keepAudio;
const writeBefore = ({ change }: Database, accountId: string, keepAudio: (typeof choices)[number]) =>
  change({}, (query) =>
    query
      .insertInto('accountSettings')
      .values({ accountId, keepAudio })
      .onConflict((conflict) => conflict.column('accountId').doUpdateSet({ keepAudio }))
      .execute(),
  );

describe.each(databaseKinds)('A database of the step before short recordings on %s', (kind) => {
  it('keeps what every account has chosen, and a program of that step still reads and writes it', async () => {
    const open = await createDatabaseOfSteps(kind);
    const before = await open(migrations.slice(0, stepBefore));
    for (const choice of choices) await writeBefore(before, choice, choice);
    await before.close();

    const after = await open();
    expect(after.migrated).toEqual(['0023-short-recordings']);
    const store = createSoundStore(after);
    for (const choice of choices) expect(await store.settingOf(choice)).toBe(choice);
    await store.changeSetting('recording', 'shortRecording');
    expect(await store.settingOf('recording')).toBe('shortRecording');
    expect(await readBefore(after, 'recording')).toBe('moments');
    await writeBefore(after, 'recording', 'nothing');
    expect(await store.settingOf('recording')).toBe('nothing');
    await writeBefore(after, 'new', 'moments');
    expect(await store.settingOf('new')).toBe('moments');
    const other = sql`UPDATE ${sql.table('accountSettings')} SET ${sql.ref('keepShortWhole')} = 2`;
    await expect(after.change({}, (query) => other.execute(query))).rejects.toThrow(/constraint/i);
    await after.close();
  });
});

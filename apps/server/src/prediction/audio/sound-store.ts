import type { KeepAudio, KeptMoment } from '@chiffchaff/contract';
import type { Selectable } from 'kysely';
import type { Database } from '../../database/open-database.ts';
import type { KeptSoundsTable } from '../../database/tables.ts';

/** What is known of the sound of one recording; its files are the sound folder's. */
export interface KeptSound extends Omit<Selectable<KeptSoundsTable>, 'moments'> {
  readonly moments: readonly KeptMoment[];
}

/** What is kept for those who never said. */
export const DEFAULT_KEEP_AUDIO: KeepAudio = 'moments';

/** A worker makes one short sound after another. */
const CLAIMED_AT_ONCE = 4;

/** Rows of kept sounds, and what accounts want kept. */
export function createSoundStore({ query, change }: Database) {
  const read = (row: Selectable<KeptSoundsTable>): KeptSound => ({
    ...row,
    // Written by `add` and by nothing else.
    moments: JSON.parse(row.moments) as KeptMoment[],
  });
  const own = (accountId: string) => query.selectFrom('keptSounds').selectAll().where('accountId', '=', accountId);

  const find = async (accountId: string, predictionId: string): Promise<KeptSound | null> => {
    const row = await own(accountId).where('predictionId', '=', predictionId).executeTakeFirst();
    return row === undefined ? null : read(row);
  };

  return {
    find,
    async settingOf(accountId: string): Promise<KeepAudio> {
      const row = await query
        .selectFrom('accountSettings')
        .select('keepAudio')
        .where('accountId', '=', accountId)
        .executeTakeFirst();
      return row?.keepAudio ?? DEFAULT_KEEP_AUDIO;
    },
    async changeSetting(accountId: string, keepAudio: KeepAudio): Promise<void> {
      await query
        .insertInto('accountSettings')
        .values({ accountId, keepAudio })
        .onConflict((conflict) => conflict.column('accountId').doUpdateSet({ keepAudio }))
        .execute();
    },
    async forgetSetting(accountId: string): Promise<void> {
      await change({ freesRoom: true }, (step) =>
        step.deleteFrom('accountSettings').where('accountId', '=', accountId).execute(),
      );
    },
    /** Adds a sound. @returns the one that is there, when the prediction has one already */
    async add(sound: KeptSound): Promise<KeptSound> {
      await change({ patient: true }, (step) =>
        step
          .insertInto('keptSounds')
          .values({ ...sound, moments: JSON.stringify(sound.moments) })
          .onConflict((conflict) => conflict.columns(['accountId', 'predictionId']).doNothing())
          .execute(),
      );
      const kept = await find(sound.accountId, sound.predictionId);
      if (kept === null) throw new Error('A sound was forgotten while it was added.');
      return kept;
    },
    async findAll(accountId: string, predictionIds: readonly string[]): Promise<readonly KeptSound[]> {
      if (predictionIds.length === 0) return [];
      return (await own(accountId).where('predictionId', 'in', predictionIds).execute()).map(read);
    },
    ofAccount: async (accountId: string): Promise<readonly KeptSound[]> => (await own(accountId).execute()).map(read),
    all: async (): Promise<readonly KeptSound[]> => (await query.selectFrom('keptSounds').selectAll().execute()).map(read),
    /** Sounds of which something is to be removed by now. */
    due: async (nowMs: number): Promise<readonly KeptSound[]> => {
      const isDue = query
        .selectFrom('keptSounds')
        .selectAll()
        .where(({ or, eb }) => or([eb('recordingUntilMs', '<=', nowMs), eb('momentsUntilMs', '<=', nowMs)]));
      return (await isDue.execute()).map(read);
    },
    /** Sounds of which something may be missing, oldest first. */
    unprepared: async (): Promise<readonly KeptSound[]> => {
      const rows = query.selectFrom('keptSounds').selectAll().where('preparedAtMs', 'is', null).orderBy('createdAtMs');
      return (await rows.execute()).map(read);
    },
    /** Takes sounds in hand of which something may be missing and that no machine is at. */
    claimUnprepared: async (nowMs: number, preparingUntilMs: number): Promise<readonly KeptSound[]> => {
      const claimed = await change({}, (step) => {
        const free = step
          .selectFrom('keptSounds')
          .select('id')
          .where('preparedAtMs', 'is', null)
          .where(({ or, eb }) => or([eb('preparingUntilMs', 'is', null), eb('preparingUntilMs', '<', nowMs)]))
          .orderBy('createdAtMs')
          .limit(CLAIMED_AT_ONCE);
        return step.updateTable('keptSounds').set({ preparingUntilMs }).where('id', 'in', free).returningAll().execute();
      });
      return claimed.map(read);
    },
    /** Tells that this machine is still at these. */
    async renew(ids: readonly string[], preparingUntilMs: number): Promise<void> {
      if (ids.length === 0) return;
      await query.updateTable('keptSounds').set({ preparingUntilMs }).where('id', 'in', ids).execute();
    },
    /** All that is wanted is there. @returns the sound as it is by now; null when it was removed meanwhile */
    async notePrepared(id: string, preparedAtMs: number): Promise<KeptSound | null> {
      const [row] = await change({ patient: true }, (step) =>
        step
          .updateTable('keptSounds')
          .set({ preparedAtMs, preparingUntilMs: null })
          .where('id', '=', id)
          .returningAll()
          .execute(),
      );
      return row === undefined ? null : read(row);
    },
    /** Those of some ids that there are. */
    async known(ids: readonly string[]): Promise<ReadonlySet<string>> {
      if (ids.length === 0) return new Set();
      const rows = await query.selectFrom('keptSounds').select('id').where('id', 'in', ids).execute();
      return new Set(rows.map(({ id }) => id));
    },
    /** Ends what is kept of a sound; a row of which nothing is kept any more goes. */
    async end(id: string, what: 'recording' | 'moments' | 'all'): Promise<void> {
      await change({ freesRoom: true }, async (step) => {
        const ended = {
          ...(what === 'moments' ? {} : { recordingUntilMs: null }),
          ...(what === 'recording' ? {} : { momentsUntilMs: null }),
          preparedAtMs: null,
        };
        await step.updateTable('keptSounds').set(ended).where('id', '=', id).execute();
        await step
          .deleteFrom('keptSounds')
          .where('id', '=', id)
          .where('recordingUntilMs', 'is', null)
          .where('momentsUntilMs', 'is', null)
          .execute();
      });
    },
  };
}

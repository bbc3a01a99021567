import type { KeepAudio, KeptMoment } from '@chiffchaff/contract';
import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import type { ChangeOptions, Database } from '../../database/database.ts';
import { lastTimeOf } from '../../database/last-times.ts';
import type { KeptSoundsTable, Tables } from '../../database/tables.ts';

/** The row of one recording's kept audio; its files are the parts in `prepare-sound.ts`. */
export interface KeptSound extends Omit<Selectable<KeptSoundsTable>, 'moments'> {
  readonly moments: readonly KeptMoment[];
}

/** The default for accounts that have not chosen. */
export const DEFAULT_KEEP_AUDIO: KeepAudio = 'moments';

const DAY_MS = 86_400_000;
/** How often sweeps are noted. */
const NOTED_EVERY_MS = 3_600_000;
/** A worker prepares one short recording after another. */
const CLAIMED_AT_ONCE = 4;

const unclaimed =
  (nowMs: number) =>
  ({ or, eb }: ExpressionBuilder<Tables, 'keptSounds'>) =>
    or([eb('preparingUntilMs', 'is', null), eb('preparingUntilMs', '<', nowMs)]);

/** Rows of kept audio, and what accounts want kept. */
export function createSoundStore({ query, change, expressions }: Database) {
  const read = (row: Selectable<KeptSoundsTable>): KeptSound => ({
    ...row,
    // Only `add` writes it.
    moments: JSON.parse(row.moments) as KeptMoment[],
  });
  const ofAccount = async (accountId: string, predictionIds?: readonly string[]): Promise<readonly KeptSound[]> => {
    const own = query.selectFrom('keptSounds').selectAll().where('accountId', '=', accountId);
    const these = predictionIds && own.where(expressions.isOneOf('predictionId', predictionIds));
    return (await (these ?? own).execute()).map(read);
  };
  const find = async (accountId: string, predictionId: string): Promise<KeptSound | null> =>
    (await ofAccount(accountId, [predictionId]))[0] ?? null;

  return {
    find,
    /** Rows of an account, or only those of some predictions. */
    ofAccount,
    async settingOf(accountId: string): Promise<KeepAudio> {
      const setting = query.selectFrom('accountSettings').select('keepAudio').where('accountId', '=', accountId);
      return (await setting.executeTakeFirst())?.keepAudio ?? DEFAULT_KEEP_AUDIO;
    },
    async changeSetting(accountId: string, keepAudio: KeepAudio): Promise<void> {
      await change({}, (step) =>
        step
          .insertInto('accountSettings')
          .values({ accountId, keepAudio })
          .onConflict((conflict) => conflict.column('accountId').doUpdateSet({ keepAudio }))
          .execute(),
      );
    },
    async forgetSetting(accountId: string): Promise<void> {
      await change({ freesRoom: true }, (step) =>
        step.deleteFrom('accountSettings').where('accountId', '=', accountId).execute(),
      );
    },
    /** Adds a row. @returns the existing one when the prediction already has one */
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
    /**
     * Notes that a server runs. Time in which none ran, or by which the clock was changed, does not count for what is kept: all ends move
     * by it.
     *
     * @returns by how much, in ms; 0 for less than a day
     */
    async noteSweep(nowMs: number): Promise<number> {
      const lastMs = await lastTimeOf(query, 'sweep');
      const passedMs = nowMs - (lastMs ?? nowMs);
      if (lastMs !== null && Math.abs(passedMs) < NOTED_EVERY_MS) return 0;
      return change({ freesRoom: true }, async (step) => {
        const { numInsertedOrUpdatedRows } = await step
          .insertInto('lastTimes')
          .values({ what: 'sweep', atMs: nowMs })
          .onConflict((on) =>
            on
              .column('what')
              .doUpdateSet({ atMs: nowMs })
              .where('lastTimes.atMs', '=', lastMs ?? nowMs),
          )
          .executeTakeFirstOrThrow();
        await step
          .insertInto('lastTimes')
          .values({ what: 'latest', atMs: nowMs })
          .onConflict((on) => on.column('what').doUpdateSet({ atMs: nowMs }).where('lastTimes.atMs', '<', nowMs))
          .execute();
        // Another machine may have noted it.
        if (numInsertedOrUpdatedRows === 0n || Math.abs(passedMs) <= DAY_MS) return 0;
        const moved = <Column extends keyof KeptSoundsTable>(column: Column) => ({
          [column]: sql<number>`${sql.ref(column)} + ${passedMs}`,
        });
        const all = step.updateTable('keptSounds');
        await all.set({ ...moved('recordingUntilMs'), ...moved('momentsUntilMs'), ...moved('preparingUntilMs') }).execute();
        // For how long its preparation is retried.
        await all.set(moved('createdAtMs')).where('preparedAtMs', 'is', null).execute();
        return passedMs;
      });
    },
    /** Rows of which something has expired. */
    due: async (nowMs: number): Promise<readonly KeptSound[]> => {
      const isDue = query
        .selectFrom('keptSounds')
        .selectAll()
        .where(({ or, eb }) => or([eb('recordingUntilMs', '<=', nowMs), eb('momentsUntilMs', '<=', nowMs)]));
      return (await isDue.execute()).map(read);
    },
    /** Rows of which parts may be missing, oldest first. */
    unprepared: async (): Promise<readonly KeptSound[]> => {
      const rows = query.selectFrom('keptSounds').selectAll().where('preparedAtMs', 'is', null).orderBy('createdAtMs');
      return (await rows.execute()).map(read);
    },
    /** Claims rows that are kept, of which parts may be missing, and that no machine is preparing. */
    claimUnprepared: async (nowMs: number, preparingUntilMs: number): Promise<readonly KeptSound[]> => {
      const claimed = await change({}, (step) => {
        const free = step
          .selectFrom('keptSounds')
          .select('id')
          .where('preparedAtMs', 'is', null)
          .where(({ or, eb }) => or([eb('recordingUntilMs', '>', nowMs), eb('momentsUntilMs', '>', nowMs)]))
          .where(unclaimed(nowMs))
          .orderBy('createdAtMs')
          .limit(CLAIMED_AT_ONCE);
        return step.updateTable('keptSounds').set({ preparingUntilMs }).where('id', 'in', free).returningAll().execute();
      });
      return claimed.map(read);
    },
    async update(ids: readonly string[], set: Partial<KeptSoundsTable>, options: ChangeOptions = {}): Promise<void> {
      if (ids.length === 0) return;
      await change(options, (step) => step.updateTable('keptSounds').set(set).where(expressions.isOneOf('id', ids)).execute());
    },
    /** Deletes a row whose files are removed. @param unlessClaimedAtMs keeps it if a machine is preparing it then and may write a file */
    async remove(id: string, unlessClaimedAtMs: number | null = null): Promise<void> {
      await change({ freesRoom: true }, (step) =>
        step
          .deleteFrom('keptSounds')
          .where('id', '=', id)
          .$if(unlessClaimedAtMs !== null, (row) => row.where(unclaimed(unlessClaimedAtMs ?? 0)))
          .execute(),
      );
    },
  };
}

import type { Kysely } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { ResumableUploadsTable, Tables } from '../../database/tables.ts';

export type UploadStore = ReturnType<typeof createUploadStore>;

/** The rows of resumable uploads. Their bytes are elsewhere; see `resumable-uploads.ts`. */
export function createUploadStore({ query, change }: Database) {
  const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

  return {
    async add(upload: Pick<ResumableUploadsTable, 'id' | 'accountId' | 'createdAtMs' | 'bytes' | 'metadata'>): Promise<void> {
      await change({}, (step) =>
        step
          .insertInto('resumableUploads')
          .values({ ...upload, sha256: null, usedAtMs: null })
          .execute(),
      );
    },
    async find(id: string): Promise<ResumableUploadsTable | null> {
      return (await query.selectFrom('resumableUploads').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
    },
    /** As `find`, but null if a prediction has taken it. */
    async findUnused(id: string): Promise<ResumableUploadsTable | null> {
      const row = await this.find(id);
      return row?.usedAtMs === null ? row : null;
    },
    /** Uploads of an account that no prediction has taken, oldest first. */
    ofAccount: (accountId: string): Promise<readonly ResumableUploadsTable[]> =>
      query
        .selectFrom('resumableUploads')
        .selectAll()
        .where('accountId', '=', accountId)
        .where('usedAtMs', 'is', null)
        .orderBy('createdAtMs')
        .execute(),
    async noteHash(id: string, sha256: string): Promise<void> {
      await change({}, (step) => step.updateTable('resumableUploads').set({ sha256 }).where('id', '=', id).execute());
    },
    /**
     * Notes that a prediction has taken it.
     *
     * @param transaction of the prediction
     * @returns false when another has it, or it no longer exists
     */
    async take(transaction: Kysely<Tables>, id: string, usedAtMs: number): Promise<boolean> {
      const { numUpdatedRows } = await transaction
        .updateTable('resumableUploads')
        .set({ usedAtMs })
        .where('id', '=', id)
        .where('usedAtMs', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    async remove(id: string): Promise<void> {
      await change({ freesRoom: true }, (step) => step.deleteFrom('resumableUploads').where('id', '=', id).execute());
    },
    /** Deletes uploads created before a time. @returns their ids */
    async removeOlder(createdBeforeMs: number): Promise<readonly string[]> {
      return idsOf(
        await change({ freesRoom: true }, (step) =>
          step.deleteFrom('resumableUploads').where('createdAtMs', '<', createdBeforeMs).returning('id').execute(),
        ),
      );
    },
    /** Deletes uploads that an account created up to a time. @returns their ids */
    async removeAccount(accountId: string, createdUntilMs: number): Promise<readonly string[]> {
      return idsOf(
        await change({ freesRoom: true }, (step) =>
          step
            .deleteFrom('resumableUploads')
            .where('accountId', '=', accountId)
            .where('createdAtMs', '<=', createdUntilMs)
            .returning('id')
            .execute(),
        ),
      );
    },
    /** Ids of uploads that no prediction has taken. */
    async waitingIds(): Promise<ReadonlySet<string>> {
      return new Set(idsOf(await query.selectFrom('resumableUploads').select('id').where('usedAtMs', 'is', null).execute()));
    },
  };
}

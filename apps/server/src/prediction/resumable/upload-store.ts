import type { Kysely } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { ResumableUploadsTable, Tables } from '../../database/tables.ts';

export type UploadStore = ReturnType<typeof createUploadStore>;

/** The rows of resumable uploads. Their bytes are elsewhere; see `resumable-uploads.ts`. */
export function createUploadStore({ query, change }: Database) {
  const all = () => query.selectFrom('resumableUploads').selectAll();
  const find = async (id: string): Promise<ResumableUploadsTable | null> =>
    (await all().where('id', '=', id).executeTakeFirst()) ?? null;

  return {
    async add(upload: Pick<ResumableUploadsTable, 'id' | 'accountId' | 'createdAtMs' | 'bytes' | 'metadata'>): Promise<void> {
      const row = { ...upload, sha256: null, usedAtMs: null };
      await change({}, (step) => step.insertInto('resumableUploads').values(row).execute());
    },
    find,
    /** As `find`, but null if a prediction has taken it. */
    async findUnused(id: string): Promise<ResumableUploadsTable | null> {
      const row = await find(id);
      return row?.usedAtMs === null ? row : null;
    },
    /** Uploads of an account, oldest first. */
    ofAccount: (accountId: string): Promise<readonly ResumableUploadsTable[]> =>
      all().where('accountId', '=', accountId).orderBy('createdAtMs').execute(),
    /**
     * Notes that a prediction has taken it.
     *
     * @param transaction of the prediction
     * @returns false when another has it, or it no longer exists
     */
    async take(transaction: Kysely<Tables>, id: string, sha256: string): Promise<boolean> {
      const { numUpdatedRows } = await transaction
        .updateTable('resumableUploads')
        .set({ usedAtMs: Date.now(), sha256 })
        .where('id', '=', id)
        .where('usedAtMs', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    async remove(id: string): Promise<void> {
      await change({ freesRoom: true }, (step) => step.deleteFrom('resumableUploads').where('id', '=', id).execute());
    },
    /** Deletes uploads created before a time. */
    async removeOlder(createdBeforeMs: number): Promise<void> {
      await change({ freesRoom: true }, (step) =>
        step.deleteFrom('resumableUploads').where('createdAtMs', '<', createdBeforeMs).execute(),
      );
    },
    /** Ids of uploads that no prediction has taken. */
    async waitingIds(): Promise<ReadonlySet<string>> {
      const waiting = query.selectFrom('resumableUploads').select('id').where('usedAtMs', 'is', null);
      return new Set((await waiting.execute()).map(({ id }) => id));
    },
  };
}

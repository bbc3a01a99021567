import type { Database } from '../../database/open-database.ts';
import type { ResumableUploadsTable } from '../../database/tables/resumable-upload-tables.ts';

/** What is known of uploads in pieces. Their bytes are files; see `resumable-uploads.ts`. */
export interface UploadStore {
  add(upload: Pick<ResumableUploadsTable, 'id' | 'accountId' | 'createdAtMs' | 'bytes' | 'metadata'>): Promise<void>;
  find(id: string): Promise<ResumableUploadsTable | null>;
  /** Those of an account whose bytes are still here, oldest first. */
  ofAccount(accountId: string): Promise<readonly ResumableUploadsTable[]>;
  noteHash(id: string, sha256: string): Promise<void>;
  noteUse(id: string, usedAtMs: number): Promise<void>;
  remove(id: string): Promise<void>;
  /** Forgets what was created before a moment. @returns the ids */
  removeOlder(createdBeforeMs: number): Promise<readonly string[]>;
  /** @returns the ids */
  removeAccount(accountId: string): Promise<readonly string[]>;
  /** Ids whose bytes may still be here. */
  waitingIds(): Promise<ReadonlySet<string>>;
}

export function createUploadStore({ query, change }: Database): UploadStore {
  const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

  return {
    async add(upload) {
      await query
        .insertInto('resumableUploads')
        .values({ ...upload, sha256: null, usedAtMs: null })
        .execute();
    },
    async find(id) {
      return (await query.selectFrom('resumableUploads').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
    },
    ofAccount: (accountId) =>
      query
        .selectFrom('resumableUploads')
        .selectAll()
        .where('accountId', '=', accountId)
        .where('usedAtMs', 'is', null)
        .orderBy('createdAtMs')
        .execute(),
    async noteHash(id, sha256) {
      await query.updateTable('resumableUploads').set({ sha256 }).where('id', '=', id).execute();
    },
    async noteUse(id, usedAtMs) {
      // A prediction has it already, and nobody would say so again.
      await change({ patient: true, freesRoom: true }, (step) =>
        step.updateTable('resumableUploads').set({ usedAtMs }).where('id', '=', id).execute(),
      );
    },
    async remove(id) {
      await change({ freesRoom: true }, (step) => step.deleteFrom('resumableUploads').where('id', '=', id).execute());
    },
    async removeOlder(createdBeforeMs) {
      return idsOf(
        await change({ freesRoom: true }, (step) =>
          step.deleteFrom('resumableUploads').where('createdAtMs', '<', createdBeforeMs).returning('id').execute(),
        ),
      );
    },
    async removeAccount(accountId) {
      return idsOf(
        await change({ freesRoom: true }, (step) =>
          step.deleteFrom('resumableUploads').where('accountId', '=', accountId).returning('id').execute(),
        ),
      );
    },
    async waitingIds() {
      return new Set(idsOf(await query.selectFrom('resumableUploads').select('id').where('usedAtMs', 'is', null).execute()));
    },
  };
}

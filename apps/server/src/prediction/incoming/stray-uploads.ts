import type { Database } from '../../database/database.ts';
import type { ObjectStorage } from '../../storage/object-storage.ts';
import { uploadObject, uploadOf } from './uploads.ts';

/** A recording arrives within hours, and has its row then. */
const STRAY_AFTER_MS = 86_400_000;
const LOOKED_UP_AT_ONCE = 500;

/** Removes recordings and checkpoints that killed machines left in a bucket: those without a row that are older than a day. */
export async function removeStrayUploads(storage: ObjectStorage, { query }: Pick<Database, 'query'>): Promise<void> {
  const old: { readonly name: string; readonly upload: string }[] = [];

  async function removeStrays(): Promise<void> {
    const some = old.splice(0);
    const uploads = [...new Set(some.map(({ upload }) => upload))];
    if (uploads.length === 0) return;
    const rows = await query.selectFrom('predictions').select('uploadName').where('uploadName', 'in', uploads).execute();
    const named = new Set(rows.map(({ uploadName }) => uploadName));
    await storage.remove(some.filter(({ upload }) => !named.has(upload)).map(({ name }) => name));
  }

  for await (const { name, changedAtMs } of storage.list(uploadObject(''))) {
    if (Date.now() - changedAtMs < STRAY_AFTER_MS) continue;
    old.push({ name, upload: uploadOf(name) });
    if (old.length === LOOKED_UP_AT_ONCE) await removeStrays();
  }
  await removeStrays();
}

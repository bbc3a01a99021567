import { compareStorage, describeLost, describeStray, isOld } from '../storage/compare-storage.ts';
import { openServerStorage, type ServerData } from './open-data.ts';

/**
 * Compares what is stored with the rows that need it, whether or not the server is running: what is younger than a day may still change.
 *
 * @param remove deletes objects that no row needs
 * @param nowMs for tests
 * @returns the text to print, and whether nothing is missing
 * @throws AdminError, DatabaseError, StorageError
 */
export async function checkStorage(data: ServerData, { remove }: { readonly remove?: true | undefined }, nowMs = Date.now()) {
  await using opened = await openServerStorage(data);
  const { storage } = opened;
  const found = await compareStorage({ storage, query: data.database.query });
  const lost = found.lost.filter(({ createdAtMs }) => isOld(createdAtMs, nowMs));
  const strays = found.strays.filter(({ changedAtMs }) => isOld(changedAtMs, nowMs));
  if (remove) await storage.remove(strays.map(({ name }) => name));
  const megabytes = (strays.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6).toFixed(1);
  const after = remove ? 'removed' : 'the server removes them within a day, --remove at once';
  const text = [
    ...lost.map((each) => `✗ ${describeLost(each)}`),
    ...strays.map((each) => `· ${describeStray(each)}`),
    `Rows without their object: ${lost.length}.`,
    `Objects without a row: ${strays.length}${strays.length === 0 ? '' : ` (${megabytes} MB); ${after}`}.`,
  ].join('\n');
  return { text, isWell: lost.length === 0 };
}

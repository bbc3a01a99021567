import { stat } from 'node:fs/promises';

/**
 * Reads something on disk once, and again only when it has changed.
 *
 * @param path whose time of change tells
 */
export function createFreshReader<Value>(path: string, read: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  let changedAtMs = Number.NaN;
  return async () => {
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.NaN }));
    if (value !== undefined && mtimeMs === changedAtMs) return value;
    changedAtMs = mtimeMs;
    value = read();
    // It may be in the middle of a replacement: read it again next time.
    value.catch(() => {
      changedAtMs = Number.NaN;
    });
    return value;
  };
}

import { findCache, openCache } from './registry.ts';

/**
 * Recordings that another app has shared with the installed page (Web Share Target): the service worker stores them on this device until
 * the page shows them as chosen. Any website can send such a request, so only files are accepted and nothing is forwarded.
 */

/** Path of the browser's POST, as in the web manifest. */
export const SHARE_PATH = '/share';
/** Form field with the files, as in the web manifest. */
export const SHARED_FIELD = 'recordings';
/** The result, which the page reads from its address. */
export type ShareOutcome = 'received' | 'empty' | 'failed' | 'unavailable';

const KEPT_MS = 3_600_000;
const MOST_FILES = 50;
const NAME = 'x-file-name';
const SHARED_AT = 'x-shared-at';

/** Stores the files of a form. @returns the result to show */
export async function keepShared(form: FormData, nowMs = Date.now()): Promise<ShareOutcome> {
  // A form with no file chosen contains one without name and content.
  const isRecording = (part: FormDataEntryValue) => part instanceof File && (part.size > 0 || part.name !== '');
  const files = form.getAll(SHARED_FIELD).filter((part): part is File => isRecording(part));
  if (files.length === 0) return 'empty';
  try {
    const cache = await openCache('shared-recordings');
    for (const file of files.slice(0, MOST_FILES)) {
      const headers = { 'content-type': file.type, [NAME]: encodeURIComponent(file.name), [SHARED_AT]: String(nowMs) };
      await cache.put(`${SHARE_PATH}/${crypto.randomUUID()}`, new Response(file, { headers }));
    }
    return 'received';
  } catch {
    // For example when the device is out of space.
    return 'failed';
  }
}

/** Removes files that no page has taken within an hour. */
export async function dropOldShared(nowMs = Date.now()): Promise<void> {
  const cache = await findCache('shared-recordings');
  for (const request of (await cache?.keys()) ?? []) {
    const sharedAt = Number((await cache?.match(request))?.headers.get(SHARED_AT));
    if (!(nowMs - sharedAt < KEPT_MS)) await cache?.delete(request);
  }
}

/** Takes the waiting recordings, in the order of arrival; each is returned once. Empty if the browser stores none. */
export async function takeShared(nowMs = Date.now()): Promise<readonly File[]> {
  await dropOldShared(nowMs);
  const cache = await findCache('shared-recordings');
  const files: File[] = [];
  for (const request of (await cache?.keys()) ?? []) {
    const answer = await cache?.match(request);
    // Another tab may have taken it in the meantime.
    if (!answer || !(await cache?.delete(request))) continue;
    const name = decodeURIComponent(answer.headers.get(NAME) ?? '');
    files.push(new File([await answer.blob()], name, { type: answer.headers.get('content-type') ?? '' }));
  }
  return files;
}

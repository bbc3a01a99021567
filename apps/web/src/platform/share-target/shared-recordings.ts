/**
 * Recordings that another app has handed to the installed page (Web Share Target): the service worker keeps them on this device until the
 * page shows them as chosen. Any website can send such a request, so nothing but files is taken from it and nothing is sent on.
 */

/** Where the browser posts them, as the web manifest says. */
export const SHARE_PATH = '/share';
/** The part of the form that holds them, as the web manifest says. */
export const SHARED_FIELD = 'recordings';
/** What became of them, in the address that the page is opened with. */
export type ShareOutcome = 'received' | 'empty' | 'failed' | 'unavailable';

const CACHE = 'shared-recordings';
const KEPT_MS = 3_600_000;
const MOST_FILES = 50;
const NAME = 'x-file-name';
const SHARED_AT = 'x-shared-at';

/** Keeps the files of a form. @returns what the page is to say of it */
export async function keepShared(form: FormData, nowMs = Date.now()): Promise<ShareOutcome> {
  // A form with no file chosen sends one without name and bytes.
  const isRecording = (part: FormDataEntryValue) => part instanceof File && (part.size > 0 || part.name !== '');
  const files = form.getAll(SHARED_FIELD).filter((part): part is File => isRecording(part));
  if (files.length === 0) return 'empty';
  try {
    const cache = await caches.open(CACHE);
    for (const file of files.slice(0, MOST_FILES)) {
      const headers = { 'content-type': file.type, [NAME]: encodeURIComponent(file.name), [SHARED_AT]: String(nowMs) };
      await cache.put(`${SHARE_PATH}/${crypto.randomUUID()}`, new Response(file, { headers }));
    }
    return 'received';
  } catch {
    // As when the device has no room left.
    return 'failed';
  }
}

const isOld = (answer: Response, nowMs: number): boolean => !(nowMs - Number(answer.headers.get(SHARED_AT)) < KEPT_MS);

/** Removes what no page has taken within an hour. */
export async function dropOldShared(nowMs = Date.now()): Promise<void> {
  if (!(await caches.has(CACHE))) return;
  const cache = await caches.open(CACHE);
  for (const request of await cache.keys()) {
    const answer = await cache.match(request);
    if (answer && isOld(answer, nowMs)) await cache.delete(request);
  }
}

/** The recordings that wait, in the order in which they came; each is handed out once. Empty where the browser keeps none. */
export async function takeShared(nowMs = Date.now()): Promise<readonly File[]> {
  if (!('caches' in globalThis) || !(await caches.has(CACHE))) return [];
  const cache = await caches.open(CACHE);
  const files: File[] = [];
  for (const request of await cache.keys()) {
    const answer = await cache.match(request);
    // Another tab may have taken it meanwhile.
    if (!answer || !(await cache.delete(request)) || isOld(answer, nowMs)) continue;
    const name = decodeURIComponent(answer.headers.get(NAME) ?? '');
    files.push(new File([await answer.blob()], name, { type: answer.headers.get('content-type') ?? '' }));
  }
  return files;
}

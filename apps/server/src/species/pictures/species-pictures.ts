import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { speciesPictureSchema } from '@chiffchaff/contract';
import type { FastifyBaseLogger } from 'fastify';
import { z } from 'zod';
import { HttpProblem, RETRY_AFTER_SECONDS } from '../../http/http-problem.ts';
import { createFairLimiter, type Requester } from '../../http/limits/fair-limiter.ts';
import { type ObjectStorage, writeObject } from '../../storage/object-storage.ts';
import { imageTypes } from './image-type.ts';
import type { FoundPicture, Wikimedia } from './wikimedia.ts';

export interface SpeciesPicturesOptions {
  /** Pictures are in its folder `pictures`: the image in NAME, its data in NAME.json. */
  readonly storage: ObjectStorage;
  readonly wikimedia: Wikimedia;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
  /** Maximum total size of the kept images, in bytes. */
  readonly mostBytes?: number;
  /** How long a request waits for a picture that is being fetched. */
  readonly patienceMs: number;
}

const DAY_MS = 86_400_000;
/** How long a missing picture is cached: there may be one next week. */
const MISS_KEPT_MS = 7 * DAY_MS;
/** How long Wikimedia is left alone after a failure. */
const REST_MS = 60_000;
const LIMITS = { mostEach: 20, most: 200 };
const MOST_BYTES = 1024 ** 3;

const creditsSchema = speciesPictureSchema.omit({ path: true }).extend({ type: z.enum(imageTypes), bytes: z.int().positive() });
export type PictureCredits = z.infer<typeof creditsSchema>;
const knownSchema = z.object({ askedAtMs: z.number(), picture: creditsSchema.nullable() });
type KnownPicture = z.infer<typeof knownSchema>;

const PREFIX = 'pictures/';
const nameOf = (scientificName: string): string =>
  PREFIX + createHash('sha256').update(scientificName).digest('hex').slice(0, 32);

export type SpeciesPictures = ReturnType<typeof createSpeciesPictures>;

/** Pictures of birds, fetched one after the other when a bird is first viewed, and kept. */
export function createSpeciesPictures(options: SpeciesPicturesOptions) {
  const { storage, wikimedia, log, mostBytes = MOST_BYTES, patienceMs } = options;
  const limiter = createFairLimiter(LIMITS);
  const fetching = new Map<string, Promise<PictureCredits | null>>();
  const closing = new AbortController();
  let restsUntilMs = 0;

  async function readKnown(name: string): Promise<KnownPicture | null> {
    const stream = await storage.read(`${name}.json`, null, closing.signal);
    if (stream === null) return null;
    const { data } = knownSchema.safeParse(await json(stream).catch(() => null));
    return data ?? null;
  }

  const write = (name: string, content: string | Uint8Array): Promise<void> =>
    writeObject(storage, name, (path) => writeFile(path, content, { mode: 0o600 }));

  /** Deletes the oldest pictures; they are fetched again when they are viewed. */
  async function makeRoom(wanted: number): Promise<void> {
    const kept = [];
    for await (const object of storage.list(PREFIX)) if (!object.name.endsWith('.json')) kept.push(object);
    let total = kept.reduce((sum, { bytes }) => sum + bytes, wanted);
    for (const { name, bytes } of kept.toSorted((one, other) => one.changedAtMs - other.changedAtMs)) {
      if (total <= mostBytes) return;
      await storage.remove([`${name}.json`, name]);
      total -= bytes;
    }
  }

  async function keep(name: string, found: FoundPicture | null): Promise<PictureCredits | null> {
    let picture: PictureCredits | null = null;
    if (found !== null) {
      const { bytes, ...credits } = found;
      await makeRoom(bytes.length);
      picture = { ...credits, bytes: bytes.length };
      await write(name, bytes);
    }
    // Last, so that the image it names exists.
    await write(`${name}.json`, JSON.stringify({ askedAtMs: Date.now(), picture } satisfies KnownPicture));
    return picture;
  }

  async function fetchPicture(scientificName: string, name: string): Promise<PictureCredits | null> {
    if (closing.signal.aborted || Date.now() < restsUntilMs) return null;
    try {
      return await keep(name, await wikimedia.find(scientificName, closing.signal));
    } catch (error) {
      if (closing.signal.aborted) return null;
      restsUntilMs = Date.now() + REST_MS;
      log.warn({ err: error }, 'a picture of a bird could not be fetched');
      return null;
    }
  }

  return {
    /**
     * Returns the data of a bird's picture, and fetches the picture if needed.
     *
     * @param scientificName as the model has it
     * @param visitor whose turn fetching it uses, even if they do not wait for it
     * @returns null if there is none, or Wikimedia cannot be asked now
     * @throws HttpProblem SERVER_BUSY while it is being fetched
     * @throws StorageError
     */
    async find(scientificName: string, visitor: Requester): Promise<PictureCredits | null> {
      const name = nameOf(scientificName);
      const known = await readKnown(name);
      if (known !== null && (known.picture !== null || Date.now() < known.askedAtMs + MISS_KEPT_MS)) return known.picture;
      if (Date.now() < restsUntilMs) return null;
      let coming = fetching.get(name);
      if (coming === undefined) {
        coming = limiter.run(visitor, () => fetchPicture(scientificName, name)).finally(() => fetching.delete(name));
        fetching.set(name, coming);
      }
      const found = await Promise.race([coming, sleep(patienceMs, 'late' as const, { ref: false })]);
      if (found === 'late') throw new HttpProblem('SERVER_BUSY', { retryAfterSeconds: RETRY_AFTER_SECONDS });
      return found;
    },
    /** The image of a picture that `find` returned. @returns null if it was deleted. @throws StorageError */
    read: (scientificName: string, signal: AbortSignal): Promise<Readable | null> =>
      storage.read(nameOf(scientificName), null, signal),
    /** Aborts fetches in progress. */
    async close(): Promise<void> {
      closing.abort(new DOMException('The server is stopping', 'AbortError'));
      await Promise.allSettled(fetching.values());
    },
  };
}

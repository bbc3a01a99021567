import { rm, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256Of } from '@chiffchaff/acquire';
import { type AnalysisService, CLIP_MEDIA_TYPE } from '@chiffchaff/analysis';
import { LONGEST_SONG_SECONDS, speciesPictureSchema, speciesSongSchema } from '@chiffchaff/contract';
import type { FastifyBaseLogger } from 'fastify';
import { z } from 'zod';
import { HttpProblem, RETRY_AFTER_SECONDS } from '../../http/http-problem.ts';
import { createFairLimiter, type Requester } from '../../http/limits/fair-limiter.ts';
import { isOfRecording } from '../../prediction/audio/audio-retention.ts';
import { type ByteRange, type ObjectStorage, writeObject } from '../../storage/object-storage.ts';
import { imageTypes } from './image-type.ts';
import type { Wikimedia } from './wikimedia.ts';

interface Options {
  /** Files are in its folder `pictures` or `songs`: the file in NAME, its data in NAME.json. */
  readonly storage: ObjectStorage;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
  /** Maximum total size of the kept files, in bytes. */
  readonly mostBytes?: number;
  /** How long a request waits for a file that is being fetched. */
  readonly patienceMs: number;
}

/** What is remembered of a file besides its content. */
interface Kept {
  readonly type: string;
  readonly bytes: number;
}
type Found<Credits extends Kept> = Omit<Credits, 'bytes'> & { readonly bytes: Uint8Array };
interface Kind<Credits extends Kept> {
  readonly kind: 'picture' | 'song';
  readonly schema: z.ZodType<Credits>;
  readonly search: (scientificName: string, signal: AbortSignal) => Promise<Found<Credits> | null>;
}

const DAY_MS = 86_400_000;
/** How long a missing file is cached: there may be one next week. */
const MISS_KEPT_MS = 7 * DAY_MS;
/** How long Wikimedia is left alone after a failure. */
const REST_MS = 60_000;
const LIMITS = { mostEach: 20, most: 200 };
const MOST_BYTES = 1024 ** 3;

const bytes = z.int().positive();
const pictureSchema = speciesPictureSchema.omit({ path: true }).extend({ type: z.enum(imageTypes), bytes });
const songSchema = speciesSongSchema.omit({ path: true }).extend({ type: z.literal(CLIP_MEDIA_TYPE), bytes });

export type SpeciesFiles = Pick<ReturnType<typeof createSpeciesPictures | typeof createSpeciesSongs>, 'find' | 'read' | 'close'>;

export const createSpeciesPictures = ({ wikimedia, ...options }: Options & { readonly wikimedia: Pick<Wikimedia, 'find'> }) =>
  createSpeciesFiles({ ...options, kind: 'picture', schema: pictureSchema, search: wikimedia.find });

/** Songs are decoded and written anew: every browser plays them, and nothing but sound comes from others. */
export const createSpeciesSongs = ({
  wikimedia,
  service,
  ...options
}: Options & { readonly wikimedia: Pick<Wikimedia, 'findSong'>; readonly service: Pick<AnalysisService, 'cutClip'> }) =>
  createSpeciesFiles({
    ...{ ...options, kind: 'song', schema: songSchema },
    async search(scientificName, signal) {
      const found = await wikimedia.findSong(scientificName, signal);
      if (found === null) return null;
      const path = await options.storage.draftPathFor();
      try {
        await writeFile(path, found.bytes, { mode: 0o600 });
        const stretch = { startSeconds: 0, endSeconds: LONGEST_SONG_SECONDS };
        return { ...found, type: CLIP_MEDIA_TYPE, bytes: await service.cutClip({ path, stretch }, signal) };
      } catch (error) {
        if (isOfRecording(error)) return null;
        throw error;
      } finally {
        await rm(path, { force: true });
      }
    },
  });

/** Files about birds from Wikimedia, fetched one after the other when a bird is first viewed, and kept. */
function createSpeciesFiles<Credits extends Kept>(options: Options & Kind<Credits>) {
  const { storage, log, mostBytes = MOST_BYTES, patienceMs, kind, schema, search } = options;
  const prefix = `${kind}s/`;
  const nameOf = (scientificName: string): string => prefix + sha256Of(scientificName).slice(0, 32);
  const knownSchema = z.object({ askedAtMs: z.number(), credits: schema.nullable() });
  type Known = z.infer<typeof knownSchema>;
  const limiter = createFairLimiter(LIMITS);
  const fetching = new Map<string, Promise<Credits | null>>();
  const closing = new AbortController();
  let restsUntilMs = 0;

  async function readKnown(name: string): Promise<Known | null> {
    const stream = await storage.read(`${name}.json`, null, closing.signal);
    if (stream === null) return null;
    const { data } = knownSchema.safeParse(await json(stream).catch(() => null));
    return data ?? null;
  }

  const write = (name: string, content: string | Uint8Array): Promise<void> =>
    writeObject(storage, name, (path) => writeFile(path, content, { mode: 0o600 }));

  /** Deletes the oldest files; they are fetched again when they are viewed. */
  async function makeRoom(wanted: number): Promise<void> {
    const kept = [];
    for await (const object of storage.list(prefix)) if (!object.name.endsWith('.json')) kept.push(object);
    let total = kept.reduce((sum, { bytes }) => sum + bytes, wanted);
    for (const { name, bytes } of kept.toSorted((one, other) => one.changedAtMs - other.changedAtMs)) {
      if (total <= mostBytes) return;
      await storage.remove([`${name}.json`, name]);
      total -= bytes;
    }
  }

  async function keep(name: string, found: Found<Credits> | null): Promise<Credits | null> {
    let credits: Credits | null = null;
    if (found !== null) {
      await makeRoom(found.bytes.length);
      credits = schema.parse({ ...found, bytes: found.bytes.length });
      await write(name, found.bytes);
    }
    // Last, so that the file it names exists.
    await write(`${name}.json`, JSON.stringify({ askedAtMs: Date.now(), credits } satisfies Known));
    return credits;
  }

  async function fetchFile(scientificName: string, name: string): Promise<Credits | null> {
    if (closing.signal.aborted || Date.now() < restsUntilMs) return null;
    try {
      return await keep(name, await search(scientificName, closing.signal));
    } catch (error) {
      if (closing.signal.aborted) return null;
      restsUntilMs = Date.now() + REST_MS;
      log.warn({ err: error }, `a ${kind} of a bird could not be fetched`);
      return null;
    }
  }

  return {
    /**
     * Returns the data of a bird's file, and fetches the file if needed.
     *
     * @param scientificName as the model has it
     * @param visitor whose turn fetching it uses, even if they do not wait for it
     * @returns null if there is none, or Wikimedia cannot be asked now
     * @throws HttpProblem SERVER_BUSY while it is being fetched
     * @throws StorageError
     */
    async find(scientificName: string, visitor: Requester): Promise<Credits | null> {
      const name = nameOf(scientificName);
      const known = await readKnown(name);
      if (known !== null && (known.credits !== null || Date.now() < known.askedAtMs + MISS_KEPT_MS)) return known.credits;
      if (Date.now() < restsUntilMs) return null;
      let coming = fetching.get(name);
      if (coming === undefined) {
        coming = limiter.run(visitor, () => fetchFile(scientificName, name)).finally(() => fetching.delete(name));
        fetching.set(name, coming);
      }
      const found = await Promise.race([coming, sleep(patienceMs, 'late' as const, { ref: false })]);
      if (found === 'late') throw new HttpProblem('SERVER_BUSY', { retryAfterSeconds: RETRY_AFTER_SECONDS });
      return found;
    },
    /** The file that `find` returned, or a range of it. @returns null if it was deleted. @throws StorageError */
    read: (scientificName: string, range: ByteRange | null, signal: AbortSignal): Promise<Readable | null> =>
      storage.read(nameOf(scientificName), range, signal),
    /** Aborts fetches in progress. */
    async close(): Promise<void> {
      closing.abort(new DOMException('The server is stopping', 'AbortError'));
      await Promise.allSettled(fetching.values());
    },
  };
}

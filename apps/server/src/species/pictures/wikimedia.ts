import { type FileCredits, LONGEST_SONG_SECONDS, type SpeciesPicture, type SpeciesSong } from '@chiffchaff/contract';
import { z } from 'zod';
import { type ImageType, imageTypeOf } from './image-type.ts';

/** A picture from Wikimedia Commons. */
export interface FoundPicture extends Omit<SpeciesPicture, 'path'> {
  readonly bytes: Uint8Array;
  readonly type: ImageType;
}

/** A song from there, as it was uploaded. */
export interface FoundSong extends Omit<SpeciesSong, 'path'> {
  readonly bytes: Uint8Array;
}

/** Wikimedia could not be reached, or did not answer as documented; a later try may succeed. */
export class WikimediaError extends Error {}

/** Wikimedia's hosts; tests use a stand-in. */
export const wikimediaHosts = {
  wikipedia: 'https://en.wikipedia.org',
  commons: 'https://commons.wikimedia.org',
  files: 'https://upload.wikimedia.org',
};

/** Wide enough for the page on a high-resolution screen. */
const WIDTH = 640;
const MOST_IMAGE_BYTES = 2 * 1024 * 1024;
/** A minute of stereo in 16 bits at 48 kHz has 11.5 million. */
const MOST_SONG_BYTES = 12 * 1024 * 1024;
const METADATA = 'Artist|LicenseShortName|LicenseUrl';
const MOST_ANSWER_BYTES = 256 * 1024;
const ANSWER_MS = 10_000;
/** Licences that allow showing a file with its author's name. */
const FREE = /^(CC0|CC BY(-SA)? \d|public domain|PD\b)/i;
const MOST_AUTHOR_CHARACTERS = 200;

const articleSchema = z.object({
  query: z.object({ pages: z.array(z.object({ pageimage: z.string().max(300).optional() })).length(1) }),
});
const valueSchema = z.object({ value: z.union([z.string(), z.number()]).transform(String) });
const address = z.string().max(2000).default('');
const pixels = z.int().positive().max(4000).default(1);
const textOrNumber = valueSchema.optional();
/** Of pictures and sounds; what was not asked for has a default. If nothing is found, Wikimedia leaves out `query`. */
const filesSchema = z.object({
  query: z
    .object({
      pages: z.array(
        z.object({
          title: z.string().max(300).default(''),
          /** in a search, 1 is the best match */
          index: z.int().default(0),
          imageinfo: z
            .array(
              z.object({
                ...{ url: address, thumburl: address, thumbwidth: pixels, thumbheight: pixels },
                /** in seconds; 0 of a picture */
                duration: z.number().default(0),
                // Wikimedia writes an empty object as a list.
                extmetadata: z.preprocess(
                  (given) => (Array.isArray(given) ? {} : given),
                  z.object({ Artist: textOrNumber, LicenseShortName: textOrNumber, LicenseUrl: textOrNumber }),
                ),
              }),
            )
            .min(1)
            .optional(),
        }),
      ),
    })
    .default({ pages: [] }),
});
type Page = z.infer<typeof filesSchema>['query']['pages'][number];

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' };

/** Converts the HTML in which Commons names authors to plain text. */
function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(?:#(\d{1,6})|(\w{2,5}));/g, (whole, code, name) =>
      code === undefined ? (ENTITIES[name] ?? whole) : String.fromCodePoint(Number(code)),
    )
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MOST_AUTHOR_CHARACTERS);
}

/** URL of the licence's text; null if it is not on the licence's own site. */
function licenceAddress(given: string | undefined): string | null {
  const secure = given?.replace(/^http:/, 'https:') ?? '';
  return /^https:\/\/creativecommons\.org\/[\w./-]*$/.test(secure) ? secure : null;
}

/** What Commons says of a file, with its credits; null without a free licence, or without an author where that requires one. */
function licensed({ title, imageinfo }: Page) {
  const [info] = imageinfo ?? [];
  const { Artist, LicenseShortName, LicenseUrl } = info?.extmetadata ?? {};
  const licence = LicenseShortName?.value ?? '';
  const author = textOf(Artist?.value ?? '');
  const needsAuthor = /^CC BY/i.test(licence);
  if (info === undefined || !FREE.test(licence) || (needsAuthor && author === '')) return null;
  const credits: FileCredits = {
    author: author || null,
    licence: licence.slice(0, 60),
    licenceUrl: licenceAddress(LicenseUrl?.value),
    sourceUrl: `https://commons.wikimedia.org/wiki/${encodeURIComponent(title.replaceAll(' ', '_')).replace('%3A', ':')}`,
  };
  return { ...info, credits };
}

/**
 * Finds the picture of a bird's Wikipedia article and a song on Commons, if they are freely licensed. Contacts only fixed hosts, and sends nothing of a request but
 * the bird's scientific name. Follows https://www.mediawiki.org/wiki/API:Imageinfo, https://www.mediawiki.org/wiki/Extension:PageImages and
 * https://www.mediawiki.org/wiki/Help:CirrusSearch.
 *
 * @param userAgent names the program and a contact of its operator, as https://meta.wikimedia.org/wiki/User-Agent_policy asks
 */
export function createWikimedia(userAgent: () => string, hosts = wikimediaHosts) {
  /** @throws WikimediaError */
  async function read(address: string, mostBytes: number, signal: AbortSignal): Promise<Uint8Array | null> {
    try {
      const response = await fetch(address, {
        headers: { 'user-agent': userAgent(), accept: '*/*' },
        // A redirect could lead anywhere.
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
      });
      if (response.status !== 200) {
        await response.body?.cancel();
        if (response.status === 404) return null;
        throw new WikimediaError(`Wikimedia answered ${response.status}.`);
      }
      const parts: Uint8Array[] = [];
      let bytes = 0;
      for await (const part of response.body ?? []) {
        bytes += part.length;
        // Leaving the loop ends the transfer.
        if (bytes > mostBytes) return null;
        parts.push(part);
      }
      return Buffer.concat(parts);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof WikimediaError ? error : new WikimediaError('Wikimedia cannot be reached.', { cause: error });
    }
  }

  /** @throws WikimediaError */
  async function ask<Answer>(host: string, query: object, schema: z.ZodType<Answer>, signal: AbortSignal): Promise<Answer> {
    const search = new URLSearchParams({ action: 'query', format: 'json', formatversion: '2', ...query });
    const bytes = await read(`${host}/w/api.php?${search}`, MOST_ANSWER_BYTES, signal);
    try {
      return schema.parse(JSON.parse(Buffer.from(bytes ?? []).toString('utf8')));
    } catch (error) {
      throw new WikimediaError('Wikimedia answered otherwise than documented.', { cause: error });
    }
  }

  return {
    /** @returns null if there is no picture that may be shown @throws WikimediaError @throws the signal's reason when it aborts */
    async find(scientificName: string, signal: AbortSignal): Promise<FoundPicture | null> {
      const article = { titles: scientificName, redirects: '1', prop: 'pageimages', piprop: 'name', pilicense: 'free' };
      const [page] = (await ask(hosts.wikipedia, article, articleSchema, signal)).query.pages;
      const name = page?.pageimage;
      if (name === undefined) return null;
      const file = {
        titles: `File:${name}`,
        prop: 'imageinfo',
        iiprop: 'url|extmetadata',
        iiurlwidth: String(WIDTH),
        iiextmetadatafilter: METADATA,
      };
      const [found] = (await ask(hosts.commons, file, filesSchema, signal)).query.pages;
      const info = found && licensed(found);
      if (!info?.thumburl.startsWith(`${hosts.files}/`)) return null;
      const bytes = await read(info.thumburl, MOST_IMAGE_BYTES, signal);
      const type = bytes && imageTypeOf(bytes);
      return bytes && type && { bytes, type, width: info.thumbwidth, height: info.thumbheight, ...info.credits };
    },

    /** The best match among sounds that are titled with the bird's name. @returns null if there is none that may be played @throws as `find` */
    async findSong(scientificName: string, signal: AbortSignal): Promise<FoundSong | null> {
      const sounds = {
        ...{ generator: 'search', gsrnamespace: '6', gsrlimit: '20', gsrsearch: `filetype:audio intitle:"${scientificName}"` },
        ...{ prop: 'imageinfo', iiprop: 'url|size|extmetadata', iiextmetadatafilter: METADATA },
      };
      const { pages } = (await ask(hosts.commons, sounds, filesSchema, signal)).query;
      const [song] = pages
        .toSorted((one, other) => one.index - other.index)
        .flatMap((page) => licensed(page) ?? [])
        .filter(
          ({ url, duration: seconds }) => seconds > 0 && seconds <= LONGEST_SONG_SECONDS && url.startsWith(`${hosts.files}/`),
        );
      const bytes = song && (await read(song.url, MOST_SONG_BYTES, signal));
      return song && bytes ? { bytes, durationSeconds: song.duration, ...song.credits } : null;
    },
  };
}
export type Wikimedia = ReturnType<typeof createWikimedia>;

import type { FastifyRequest } from 'fastify';
import type { AnalyzerSource } from '../prediction/analyzer-source.ts';
import { LABEL_LANGUAGE } from '../prediction/language.ts';

/** The address of a page about a bird; longer names than any of the model's are not looked up. */
const BIRD_PAGE = /^\/birds\/([^/?]{1,300})\/?(?:\?|$)/;

/**
 * The status of a navigation to the page: 404 where it is the page about a bird that the model does not know, which the page says, too,
 * so that search engines and programs that check links learn of it. 200 while the model is not loaded: it is not waited for.
 */
export async function statusOfPage(
  { url }: Pick<FastifyRequest, 'url'>,
  analyzers: Pick<AnalyzerSource, 'loaded'>,
): Promise<200 | 404> {
  const written = BIRD_PAGE.exec(url)?.[1];
  if (written === undefined || analyzers.loaded === null) return 200;
  let name: string;
  try {
    name = decodeURIComponent(written).replaceAll('_', ' ');
  } catch {
    return 404; // no text at all
  }
  try {
    return (await analyzers.loaded.speciesProfile(name, LABEL_LANGUAGE)) === null ? 404 : 200;
  } catch {
    return 200; // the page asks by itself, and says what is the matter
  }
}

import type { FastifyRequest } from 'fastify';
import { LABEL_LANGUAGE } from '../prediction/language.ts';
import type { ModelLoader } from '../prediction/model-loader.ts';

/** URL of a page about a bird; names longer than any of the model's are not looked up. */
const BIRD_PAGE = /^\/birds\/([^/?]{1,300})\/?(?:\?|$)/;

/**
 * The HTTP status of a navigation: 404 for the page of a bird that the model does not know, so that search engines and link checkers learn
 * of it (the page says so, too). 200 while the model is not loaded, because navigations do not wait for it.
 */
export async function statusOfPage(
  { url }: Pick<FastifyRequest, 'url'>,
  modelLoader: Pick<ModelLoader, 'loaded'>,
): Promise<200 | 404> {
  const written = BIRD_PAGE.exec(url)?.[1];
  if (written === undefined || modelLoader.loaded === null) return 200;
  try {
    const name = decodeURIComponent(written).replaceAll('_', ' ');
    return (await modelLoader.loaded.speciesProfile(name, LABEL_LANGUAGE)) === null ? 404 : 200;
  } catch (error) {
    // Not valid text; after any other error, the page requests the profile itself and shows it.
    return error instanceof URIError ? 404 : 200;
  }
}

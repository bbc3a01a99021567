import { invalidFields } from '../http/http-problem.ts';
import type { ModelLoader } from './model-loader.ts';

/** The language of the model's own labels, which always exists. */
export const LABEL_LANGUAGE = 'en';

/**
 * Refuses a language without species names. `de-AT` counts as `de` if there are no Austrian names, as in the analyzer.
 *
 * @throws HttpProblem REQUEST_INVALID with the available languages
 */
export function checkLanguage(asked: string, available: readonly string[]): void {
  const code = asked.toLowerCase().replace('-', '_');
  const main = code.split('_', 1)[0] ?? code;
  if (main === LABEL_LANGUAGE || available.includes(code) || available.includes(main)) return;
  throw invalidFields([{ field: 'language', message: `must be one of ${[LABEL_LANGUAGE, ...available].join(', ')}` }]);
}

/**
 * Species names in a language. Null leaves them as stored, also while no model is installed.
 *
 * @throws HttpProblem REQUEST_INVALID
 */
export async function namesIn(
  modelLoader: ModelLoader,
  language: string | undefined,
): Promise<ReadonlyMap<string, string> | null> {
  if (language === undefined) return null;
  const analyzer = await modelLoader.get().catch(() => null);
  if (analyzer === null) return null;
  checkLanguage(language, analyzer.languages);
  return analyzer.namesIn(language);
}

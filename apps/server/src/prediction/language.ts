import { invalidFields } from '../http/http-problem.ts';

/** The names in the model's own label file; there is always a table for it. */
export const LABEL_LANGUAGE = 'en';

/**
 * Refuses a language that species names do not exist in. `de-AT` counts as `de` where there is no Austrian table, as the analyzer
 * takes it.
 *
 * @throws HttpProblem REQUEST_INVALID that names the languages there are
 */
export function checkLanguage(asked: string, available: readonly string[]): void {
  const code = asked.toLowerCase().replace('-', '_');
  const main = code.split('_', 1)[0] ?? code;
  if (main === LABEL_LANGUAGE || available.includes(code) || available.includes(main)) return;
  throw invalidFields([{ field: 'language', message: `must be one of ${[LABEL_LANGUAGE, ...available].join(', ')}` }]);
}

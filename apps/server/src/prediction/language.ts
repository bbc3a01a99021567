import { invalidFields } from '../http/http-problem.ts';

/**
 * Finds the language of species names that a language code means: `de-AT` and `de_at` mean `de` where there is no Austrian table,
 * `en` means the first English one where there are only `en_uk` and `en_us`.
 *
 * @throws HttpProblem REQUEST_INVALID that names the languages there are
 */
export function chooseLanguage(asked: string, available: readonly string[]): string {
  const code = asked.toLowerCase().replace('-', '_');
  const [main = code] = code.split('_');
  const found =
    available.find((language) => language.toLowerCase().replace('-', '_') === code) ??
    available.find((language) => language.toLowerCase() === main) ??
    available.find((language) => language.toLowerCase().startsWith(`${main}_`));
  if (found !== undefined) return found;
  throw invalidFields([{ field: 'language', message: `must be one of ${available.join(', ')}` }]);
}

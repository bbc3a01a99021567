import { z } from 'zod';
import { runQuietly } from './process.ts';

/**
 * Licences that a dependency may have. All are permissive or (MPL, data licences) bind only the files they cover. Separate programs
 * (ffmpeg) and downloads at set-up (the model) are not dependencies; THIRD_PARTY_NOTICES.md credits them.
 */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'CC-BY-3.0',
  'CC-BY-4.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'OFL-1.1',
  'Python-2.0',
  'Unicode-3.0',
  'Unlicense',
  'Zlib',
]);

const listSchema = z.record(z.string(), z.array(z.object({ name: z.string(), versions: z.array(z.string()) })));

/** Whether allowed licences alone can satisfy an SPDX expression. */
export function isAllowedLicence(expression: string): boolean {
  const plain = expression.replace(/^\((.*)\)$/, '$1');
  if (/ OR /.test(plain)) return plain.split(' OR ').some(isAllowedLicence);
  if (/ AND /.test(plain)) return plain.split(' AND ').every(isAllowedLicence);
  return allowed.has(plain);
}

/** Dependencies whose licence is not on the allow-list, one line each. */
export async function findForbiddenLicences(): Promise<string[]> {
  const { code, output } = await runQuietly('pnpm', ['licenses', 'list', '--json']);
  if (code !== 0) return [`pnpm licenses list ended with ${code}: ${output}`];
  const list = listSchema.parse(JSON.parse(output.slice(output.indexOf('{'))));
  return Object.entries(list)
    .filter(([licence]) => !isAllowedLicence(licence))
    .flatMap(([licence, packages]) => packages.map(({ name, versions }) => `${name}@${versions.join(', ')}: ${licence}`));
}

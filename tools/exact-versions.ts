import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { root } from './process.ts';

const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const;
const versions = z.record(z.string(), z.string()).optional();
const manifestSchema = z.object({
  dependencies: versions,
  devDependencies: versions,
  optionalDependencies: versions,
  peerDependencies: versions,
});

/** Whether a version is a single release, or a package of this repository. */
export const isExact = (version: string): boolean => /^(\d+\.\d+\.\d+(-[\w.]+)?|workspace:\*)$/.test(version);

/** Dependencies with a version range, one line each. */
export function findRanges(): string[] {
  const manifests = globSync('{.,{packages,apps}/*,bench,e2e}/package.json', { cwd: root });
  return manifests.sort().flatMap((manifest) => {
    const parsed = manifestSchema.parse(JSON.parse(readFileSync(join(root, manifest), 'utf8')));
    return kinds.flatMap((kind) =>
      Object.entries(parsed[kind] ?? {})
        .filter(([, version]) => !isExact(version))
        .map(([name, version]) => `${manifest}: ${name}@${version}`),
    );
  });
}

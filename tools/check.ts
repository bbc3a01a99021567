/** `npm run check`: format, lint, types, dead code, licences and versions. Prints a line for each; ends with status 1 if any fails. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findRanges } from './exact-versions.ts';
import { findForbiddenLicences } from './licences.ts';
import { root, runQuietly } from './process.ts';

interface Check {
  readonly name: string;
  /** Resolves with the failure, or null if there is none. */
  readonly run: () => Promise<string | null>;
}

const program = (name: string, command: string, args: readonly string[]): Check => ({
  name,
  async run() {
    const { code, output } = await runQuietly(command, args);
    return code === 0 ? null : output;
  },
});

function typeProjects(): string[] {
  const packages = ['packages', 'apps'].flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)));
  return [...packages, 'bench', 'e2e', 'tools'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((file) => /^tsconfig(\.\w+)?\.json$/.test(file))
      .map((file) => join(folder, file)),
  );
}

/** Checks only what has changed since the last check: a quarter of the processor time. */
const incremental = (project: string): readonly string[] => [
  '--incremental',
  '--tsBuildInfoFile',
  join(root, 'node_modules/.cache/types', `${project.replaceAll('/', '-')}.tsbuildinfo`),
];

const licences: Check = {
  name: 'licences of dependencies',
  async run() {
    const forbidden = await findForbiddenLicences();
    return forbidden.length === 0
      ? null
      : `Not on the allow-list of tools/licences.ts:\n${forbidden.map((line) => `  ${line}`).join('\n')}`;
  },
};

const exactVersions: Check = {
  name: 'exact versions of dependencies',
  async run() {
    const ranges = findRanges();
    return ranges.length === 0 ? null : `A version is exact:\n${ranges.map((line) => `  ${line}`).join('\n')}`;
  },
};

/** Runs every check, prints a line for each, calls `onResult` with the failure or null, and resolves with the number of failures. */
export async function runChecks(onResult?: (name: string, wrong: string | null) => void): Promise<number> {
  const checks = [
    program('format and lint (biome)', 'biome', ['check', '.']),
    ...typeProjects().map((project) => program(`types of ${project}`, 'tsc', ['-p', project, ...incremental(project)])),
    program('dead code (knip)', 'knip', ['--no-progress']),
    licences,
    exactVersions,
  ];
  let failed = 0;
  const left = checks.values();
  const runThose = async () => {
    for (const { name, run } of left) {
      const wrong = await run();
      if (wrong !== null) failed += 1;
      onResult?.(name, wrong);
      process.stdout.write(wrong === null ? `✓ ${name}\n` : `✗ ${name}\n${wrong.trimEnd()}\n`);
    }
  };
  // Two at a time: each is a program that mostly uses one core.
  await Promise.all([runThose(), runThose()]);
  return failed;
}

if (import.meta.main) process.exitCode = (await runChecks()) === 0 ? 0 : 1;

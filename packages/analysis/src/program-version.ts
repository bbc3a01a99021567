import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** Which program answers; shown wherever a person or another program asks for it. */
export interface ProgramVersion {
  readonly version: string;
  /** The first eight digits of the commit's hash; null if it is not known. */
  readonly commit: string | null;
}

const packageSchema = z.object({ version: z.string() });

/** @param folder of the project. git need not be installed; where `.git` says nothing, as in an archive of the code, no commit is known */
export function readProgramVersion(folder: string): ProgramVersion {
  const { version } = packageSchema.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  return { version, commit: /^[\da-f]{7,8}/.exec(readHead(join(folder, '.git')) ?? '')?.[0] ?? null };
}

/** The hash that a repository's HEAD stands for. */
function readHead(git: string): string | null {
  // In a worktree, `.git` is a file that names a folder of its own, which in turn names the one with the branches.
  const own = resolve(git, '..', /^gitdir: (.+)$/.exec(readText(git) ?? '')?.[1] ?? git);
  const head = readText(join(own, 'HEAD'));
  const branch = /^ref: (.+)$/.exec(head ?? '')?.[1];
  if (branch === undefined) return head;
  const shared = resolve(own, readText(join(own, 'commondir')) ?? '.');
  const packed = readText(join(shared, 'packed-refs'))?.split('\n');
  return readText(join(shared, branch)) ?? packed?.find((line) => line.endsWith(` ${branch}`)) ?? null;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}

/** The program that is running, as it was when it started. */
export const programVersion: ProgramVersion = readProgramVersion(fileURLToPath(new URL('../../../', import.meta.url)));

/** `0.1.0 (commit 1a2b3c4d)` */
export const versionInWords = ({ version, commit }: ProgramVersion): string => `${version} (commit ${commit ?? 'unknown'})`;

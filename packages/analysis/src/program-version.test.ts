import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { programVersion, readProgramVersion, versionInWords } from './program-version.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const hash = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d';
const folder = temporaryFolder();
const write = (path: string, content: string): void => {
  const file = join(folder.path, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
};
const commit = (project = '.'): string | null => readProgramVersion(join(folder.path, project)).commit;

beforeEach(() => {
  rmSync(join(folder.path, '.git'), { recursive: true, force: true });
  write('package.json', '{"version":"1.2.3"}');
});

describe('The commit of the program', () => {
  it('is read from the branch that is checked out', () => {
    write('.git/HEAD', 'ref: refs/heads/main\n');
    write('.git/refs/heads/main', `${hash}\n`);
    expect(readProgramVersion(folder.path)).toEqual({ version: '1.2.3', commit: '1a2b3c4d' });
  });

  it('is read from git’s packed references, by the whole name of the branch', () => {
    write('.git/HEAD', 'ref: refs/heads/main\n');
    write('.git/packed-refs', `# pack-refs with: peeled\n${'f'.repeat(40)} refs/heads/main2\n${hash} refs/heads/main\n`);
    expect(commit()).toBe('1a2b3c4d');
  });

  it('is read when no branch is checked out, as in the container image', () => {
    write('.git/HEAD', `${hash}\n`);
    expect(commit()).toBe('1a2b3c4d');
    write('.git/HEAD', '1a2b3c4\n');
    expect(commit()).toBe('1a2b3c4');
  });

  it('is read in a worktree, whose branches are in the main checkout', () => {
    write('main/.git/refs/heads/feature', `${hash}\n`);
    write('main/.git/worktrees/tree/HEAD', 'ref: refs/heads/feature\n');
    write('main/.git/worktrees/tree/commondir', '../..\n');
    write('tree/.git', `gitdir: ${join(folder.path, 'main/.git/worktrees/tree')}\n`);
    write('tree/package.json', '{"version":"1.2.3"}');
    expect(commit('tree')).toBe('1a2b3c4d');
  });

  it.each([
    ['there is no repository', {}],
    ['the branch has no commit yet', { '.git/HEAD': 'ref: refs/heads/main\n' }],
    ['the image was built without stating it', { '.git/HEAD': '\n' }],
  ])('is unknown where %s', (_, files) => {
    for (const [path, content] of Object.entries(files)) write(path, content);
    expect(commit()).toBeNull();
  });
});

it('The program’s version in words includes the commit, or that this is unknown', () => {
  expect(versionInWords({ version: '1.2.3', commit: '1a2b3c4d' })).toBe('1.2.3 (commit 1a2b3c4d)');
  expect(versionInWords({ version: '1.2.3', commit: null })).toBe('1.2.3 (commit unknown)');
  expect(programVersion.version).toMatch(/^\d+\.\d+\.\d+$/);
});

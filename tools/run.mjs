// Runs the commands of package.json after setting up anything missing. `node tools/run.mjs COMMAND [ARGUMENTS]`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { bootstrap, hashOf, root, run, SetupError, say, toolchainEnvironment, unlessDone } from './bootstrap.mjs';

const node = (script, args = [], environment = {}, { flags = [], ...options } = {}) =>
  run('node', ['--disable-warning=ExperimentalWarning', ...flags, join(root, script), ...args], {
    ...options,
    env: { ...environment, ...toolchainEnvironment() },
  });
const tool = (name, args) => run(name, args, { env: toolchainEnvironment() });

/** Exits with the child's status if it failed; the child has printed why. */
function must({ code }) {
  if (code !== 0) process.exit(code);
}

async function buildWeb() {
  const inputs = ['apps/web', 'packages/contract/src', 'packages/recognizer/src', 'pnpm-lock.yaml', 'THIRD_PARTY_NOTICES.md'];
  const web = join(root, 'apps/web');
  const stamp = hashOf(inputs);
  await unlessDone(join(web, 'dist', '.built'), stamp, async () => {
    say('· Building the page');
    const { code, output } = await run('vite', ['build', '--logLevel', 'warn'], {
      quiet: true,
      cwd: web,
      // Below a test, React would be built for developers: half as large again, and slow.
      env: {
        ...toolchainEnvironment(),
        PATH: `${join(web, 'node_modules', '.bin')}:${toolchainEnvironment().PATH}`,
        NODE_ENV: 'production',
      },
    });
    if (code !== 0)
      throw new SetupError(
        'Building the page',
        `vite ended with ${code}:\n${output}`,
        'this is a bug in the project; please report it with the lines above.',
      );
  });
}

const LOOK_EVERY_MS = 500;

/** Exits when npm ends. npm signals only its shell, which does not pass the signal on, so this process notices only by its new parent. */
function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.exit(1);
  }, LOOK_EVERY_MS).unref();
}

/** Runs first, to save minutes of building and downloading for a server that would not start. */
const checkConfiguration = async () => must(await node('apps/server/src/config/check-configuration.ts'));

const setUpRecogniser = async (...options) => must(await node('tools/setup.ts', options));

const asksForHelp = (args) => args.some((arg) => arg === '--help' || arg === '-h');

/** Creates a command that runs a command of the bench package. */
const benchCommand = (name, prepare) => async (args) => {
  if (!asksForHelp(args)) {
    await prepare?.();
    await setUpRecogniser('--quiet');
  }
  must(await node('bench/src/main.ts', [name, ...args], { INIT_CWD: process.cwd() }));
};

/** Creates a command that runs a suite of tests. */
const testCommand = (suite) => async (args) => {
  await buildWeb();
  await setUpRecogniser('--for-tests');
  must(await node('tools/test.ts', [suite, ...args]));
};

const commands = {
  async start() {
    await checkConfiguration();
    await buildWeb();
    await setUpRecogniser();
    endWithNpm();
    const memory = parseEnv(readFileSync(join(root, 'deploy/memory.env'), 'utf8'));
    must(await node('apps/server/src/main.ts', [], memory, { channel: true }));
  },
  async dev() {
    await checkConfiguration();
    await setUpRecogniser();
    must(await node('tools/dev.ts'));
  },
  build: buildWeb,
  test: testCommand('test'),
  'test:engines': testCommand('engines'),
  'test:emulator': testCommand('emulator'),
  'test:long': testCommand('long'),
  ci: testCommand('ci'),
  async check() {
    must(await node('tools/check.ts'));
  },
  async fix() {
    must(await tool('biome', ['check', '--write', '.']));
  },
  async lines(args) {
    must(await node('tools/count-lines.ts', args));
  },
  async backup(args) {
    must(await node('apps/server/src/database/back-up-command.ts', args));
  },
  async move(args) {
    must(await node('apps/server/src/move/move-command.ts', args));
  },
  'bench:page': benchCommand('bench:page', buildWeb),
  'bench:answer': benchCommand('bench:answer', buildWeb),
  'bench:device': benchCommand('bench:device', buildWeb),
  lighthouse: benchCommand('lighthouse', buildWeb),
  screenshots: benchCommand('screenshots', buildWeb),
  example: benchCommand('example'),
  bench: benchCommand('bench'),
  evaluate: benchCommand('evaluate'),
  calibrate: benchCommand('calibrate'),
  trial: benchCommand('trial', buildWeb),
  async cli(args) {
    // Caches the sources with their types stripped: both programs start in half the time.
    process.env.NODE_COMPILE_CACHE ??= join(root, '.cache/compile');
    if (args[0] === 'identify' && !asksForHelp(args)) await setUpRecogniser('--quiet');
    // INIT_CWD, set by npm or ./chiffchaff, is the caller's working directory; the command itself runs in the project.
    const environment = { INIT_CWD: process.cwd() };
    // Apps never import each other, so operators' commands are a separate program, part of the server.
    const [program, ...own] =
      args[0] === 'admin' ? ['apps/server/src/admin/main.ts', ...args.slice(1)] : ['apps/cli/src/main.ts', ...args];
    // Every recording leaves some megabytes of garbage. With V8's default heap size, 300 short recordings cause 62 full collections
    // and take 14.8 s of processor time; with 64 MB 30 and 13.1 s, with 128 MB 8 and 12.1 s, with 256 MB the same 8 and 12.4 s.
    must(await node(program, own, environment, { flags: ['--initial-old-space-size=128'] }));
  },
};

const [name = '', ...given] = process.argv.slice(2);
// npm removes the `--` before a script's own arguments; when called from a shell, it arrives here.
const args = given[0] === '--' ? given.slice(1) : given;
const command = commands[name];
if (!command) {
  say(`There is no command "${name}". Commands: ${Object.keys(commands).join(', ')}.`);
  process.exit(2);
}
try {
  await bootstrap();
  await command(args);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  say(`\n✗ ${error.message}`);
  process.exit(1);
}

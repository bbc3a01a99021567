import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programVersion, versionInWords } from '@chiffchaff/analysis/program-version';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { product, runCommand } from './cli.ts';
import { createCapturedTerminal } from './testing/captured-terminal.ts';
import { startCli } from './testing/start-cli.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chiffchaff-cli-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function run(args: readonly string[], { workingFolder = folder, env = {} } = {}) {
  const terminal = createCapturedTerminal();
  const { signal } = new AbortController();
  const code = await runCommand(product, args, { env: { DATA_DIR: folder, ...env }, workingFolder, terminal, signal });
  return { code, out: terminal.written(), err: terminal.said() };
}

it.each(['identify', 'segments', 'model'])('`chiffchaff %s --help` prints a help page to standard output', async (command) => {
  const { code, out, err } = await run([command, '--help']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toContain(`./chiffchaff ${command}`);
});

it('`chiffchaff` without a command names the commands', async () => {
  const { code, out, err } = await run([]);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  for (const command of ['identify', 'segments', 'model']) expect(err).toMatch(new RegExp(`^ +${command} .*`, 'm'));
});

it('`chiffchaff --help` lists each command on a line of its own', async () => {
  const { out } = await run(['--help']);
  const commands = out.slice(out.indexOf('Commands:')).trimEnd().split('\n').slice(1);
  expect(commands.map((line) => /^ {2}(\w+) .*\.$/.exec(line)?.[1])).toEqual([
    ...['identify', 'segments', 'summarise', 'review', 'thresholds', 'export', 'model', 'admin'],
  ]);
});

it('`chiffchaff --version` prints the version and the commit', async () => {
  const out = `${versionInWords(programVersion)}\n`;
  expect(await run(['--version'])).toEqual({ code: 0, out, err: '' });
});

it.each([
  [['sing'], "Unknown command 'sing'. ./chiffchaff --help shows the options."],
  [['toString'], "Unknown command 'toString'"],
  [['identify', '-'], 'Save it to a file and name that file instead of "-".'],
  [['identify'], "Missing required argument 'FILE|FOLDER'. ./chiffchaff identify --help shows the options."],
  [['identify', 'a.wav', '--fromat', 'csv'], "Unknown option '--fromat' (Did you mean --format?)"],
  [
    ['identify', 'a.wav', '--lat', '50,8', '--lon', '12'],
    "Option '--lat <DEGREES>' argument '50,8' is invalid. It must be a number from -90 to 90.",
  ],
  [['admin', 'doctor', '--json'], 'Run ./chiffchaff admin COMMAND, or node apps/server/src/admin/main.ts COMMAND.'],
  [['admin'], 'Run ./chiffchaff admin COMMAND, or node apps/server'],
  [['model', 'update'], "Unknown command 'update'. ./chiffchaff model --help shows the options."],
])('`chiffchaff` with %j ends with exit status 2 and one line that says what is wrong', async (args, sentence) => {
  const { code, out, err } = await run(args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(sentence);
  expect(err.trimEnd().split('\n')).toHaveLength(1);
});

it('`chiffchaff` names the faulty environment variable and a value that works', async () => {
  const { code, err } = await run(['model', 'inspect'], { env: { INFERENCE_WORKERS: 'many' } });
  expect({ code, err }).toEqual({ code: 2, err: 'INFERENCE_WORKERS must be a whole number from 1 to 256, such as 4.\n' });
});

it('`chiffchaff identify` ends with exit status 3 and says what to do when no model is installed', async () => {
  const { code, out, err } = await run(['model', 'inspect']);
  expect({ code, out }).toEqual({ code: 3, out: '' });
  expect(err).toContain('npm run model -- install');
});

it('The `chiffchaff` process ends with the exit status that its command returns', async () => {
  const { ended } = startCli(['identify', '--lat', '50'], { cwd: folder });
  expect(await ended).toMatchObject({ code: 2, out: '' });
});

it('`chiffchaff` ends on Ctrl-C, even twice, without waiting for a command that takes long to stop', async () => {
  const main = join(folder, 'endless.ts');
  const url = (name: string) => JSON.stringify(new URL(name, import.meta.url));
  await writeFile(
    main,
    `import { runCli } from ${url('./cli.ts')};
     import { createCommand } from ${url('./command-line.ts')};
     process.on('exit', () => process.stdout.write('threads are ended here'));
     setInterval(() => {}, 1000);
     await runCli((act) => createCommand('endless').action(() => act(() => {
       process.stdout.write('begun');
       return new Promise(() => {});
     })), process);`,
  );
  const { child, ended } = startCli([], { main });
  if (child.stdout === null) throw new Error('no pipe');
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  child.kill('SIGINT');
  expect(await ended).toEqual({ code: 130, out: 'begun', err: 'Stopped.\n' });
});

it('`chiffchaff` says in one line that its output cannot be written because the disk is full', async ({ skip }) => {
  const full = await open('/dev/full', 'w').catch(() => null);
  if (full === null) return skip('the system has no /dev/full');
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), 'identify', '--help'], {
    stdio: ['ignore', full.fd, 'pipe'],
  });
  const err = Buffer.concat(await (child.stderr?.toArray() ?? [])).toString();
  await full.close();
  expect(err).toBe("The output can't be written: ENOSPC: no space left on device, write.\n");
  expect(child.exitCode ?? (await once(child, 'exit'))[0]).toBe(3);
});

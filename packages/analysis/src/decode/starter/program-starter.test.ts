import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import type { StartedProgram } from './messages.ts';
import { createProgramStarter, type RunningProgram } from './program-starter.ts';

const starterScript = new URL('./program-starter.ts', import.meta.url).href;

/** Ids of living processes whose command line holds that. */
const processesWith = (text: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((id) => {
      try {
        return readFileSync(`/proc/${id}/cmdline`, 'latin1').includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);

async function readText(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk.toString();
  return text;
}

async function outcomeOf({ stdout, stderr, exit }: RunningProgram) {
  const [written, complained, { code, error }] = await Promise.all([readText(stdout), readText(stderr), exit]);
  return { written, complained, code, error };
}

// Elsewhere it is not used.
describe.runIf(process.platform === 'linux')('a program starter', () => {
  const folder = temporaryFolder();
  const starter = createProgramStarter();
  const shell = (script: string, changes: Partial<StartedProgram> = {}): StartedProgram => ({
    ...{ program: '/bin/sh', args: ['-c', script], cwd: '/', env: { ONLY: 'this' } },
    ...{ inputPath: '/dev/null', outputPath: null, niceness: 0 },
    ...changes,
  });

  it('hands over what a program writes, byte for byte, and how it ended', async () => {
    const running = await starter.start(shell('yes | head -c 3000000; echo no >&2; exit 3'));
    const { written, complained, code, error } = await outcomeOf(running);
    expect(written === 'y\n'.repeat(1_500_000)).toBe(true);
    expect({ complained, code, error }).toEqual({ complained: 'no\n', code: 3, error: null });
  });

  it('keeps many apart that run at once and are over quickly', async () => {
    const numbers = Array.from({ length: 20 }, (_, number) => number);
    const outcomes = await Promise.all(numbers.map(async (number) => outcomeOf(await starter.start(shell(`echo ${number}`)))));
    expect(outcomes.map(({ written }) => written)).toEqual(numbers.map((number) => `${number}\n`));
  });

  it('gives it the files, the environment, the folder and the niceness that were asked for, and nothing else', async () => {
    const inputPath = folder.write('input', 'what is read');
    const outputPath = folder.write('output', '');
    const script = 'cat <&3; echo written >&4; echo; echo "$ONLY $HOME $(pwd)"; cut -d" " -f19 /proc/$$/stat; ls /proc/$$/fd';
    const running = await starter.start(shell(script, { inputPath, outputPath, niceness: 7 }));
    const { written } = await outcomeOf(running);
    expect(written.split('\n').slice(0, 3)).toEqual(['what is read', 'this  /', '7']);
    // What the shell that runs the tests has left open lies far up.
    const open = written.trim().split('\n').slice(3);
    expect(open.filter((descriptor) => Number(descriptor) < 100)).toEqual(['0', '1', '2', '3', '4']);
    expect(readFileSync(outputPath, 'utf8')).toBe('written\n');
  });

  it('kills', async () => {
    const running = await starter.start(shell('exec sleep 60'));
    running.kill();
    expect(await outcomeOf(running)).toMatchObject({ code: null, error: null });
  });

  it('says what cannot be started', async () => {
    for (const missing of [{ program: '/nothing/here' }, { inputPath: '/nothing/here' }]) {
      const failure = await starter.start(shell('', missing)).then(
        async (running) => (await outcomeOf(running)).error,
        (error: unknown) => error,
      );
      expect(String(failure)).toContain('ENOENT');
    }
  });

  it('goes on with a new process when the one that starts has died', async () => {
    const own = createProgramStarter();
    const running = await own.start(shell('echo $PPID; exec yes'));
    const [first] = await once(running.stdout, 'data');
    process.kill(Number.parseInt(String(first), 10), 'SIGKILL');
    expect((await running.exit).error).toBeInstanceOf(Error);
    expect(await outcomeOf(await own.start(shell('echo again')))).toMatchObject({ written: 'again\n', code: 0 });
  });

  it('lets its process go when nothing has run for a while, and begins another when something has to', async () => {
    const own = createProgramStarter(50);
    const parentOf = async (script: string) => Number.parseInt((await outcomeOf(await own.start(shell(script)))).written, 10);
    const first = await parentOf('sleep 0.2; echo $PPID');
    await vi.waitFor(() => expect(existsSync(`/proc/${first}`)).toBe(false), { timeout: 5_000 });
    expect(await parentOf('echo $PPID')).not.toBe(first);
  });

  it('gives up a start whose output it cannot receive, and starts again when it can', async () => {
    const run = `import { closeSync, openSync } from 'node:fs';
      import { createProgramStarter } from ${JSON.stringify(starterScript)};
      const starter = createProgramStarter(10_000, 4_000);
      const start = async () => {
        const { stdout, stderr, exit } = await starter.start(${JSON.stringify(shell('exec yes'))});
        stdout.destroy(); stderr.destroy(); await exit;
      };
      await start();
      const held = [];
      try { for (;;) held.push(openSync('/dev/null')); } catch {}
      closeSync(held.pop());
      // Busy, so that the program is there before its sockets are looked at.
      const busy = setInterval(() => { for (const end = performance.now() + 500; performance.now() < end; ); }, 1);
      const failed = await start().then(() => 'started', () => 'failed');
      clearInterval(busy);
      for (const one of held) closeSync(one);
      await start();
      process.stdout.write(failed + ', then started');`;
    const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e'];
    const child = spawn('/bin/sh', ['-c', 'ulimit -n 256; exec "$@"', 'sh', process.execPath, ...flags, run]);
    const [written, complained] = await Promise.all([readText(child.stdout), readText(child.stderr)]);
    expect(written, complained).toBe('failed, then started');
  }, 60_000);

  it('leaves nothing behind when its own process is killed, and does not keep one alive that has nothing more to do', async () => {
    const [seconds, pidFile] = ['61.0815', `${folder.path}/started`];
    const asked = JSON.stringify(shell(`echo > ${pidFile}; exec sleep ${seconds}`));
    const run = (script: string) =>
      spawn(process.execPath, [
        ...['--disable-warning=ExperimentalWarning', '--input-type=module', '-e'],
        `import { createProgramStarter } from ${JSON.stringify(starterScript)};
         const { stdout, stderr, exit } = await createProgramStarter().start(${script});
         stdout.resume(); stderr.resume(); await exit;`,
      ]);
    const killed = run(asked);
    await vi.waitFor(() => expect(existsSync(pidFile)).toBe(true), { timeout: 20_000 });
    killed.kill('SIGKILL');
    await vi.waitFor(() => expect(processesWith(`sleep\0${seconds}`)).toEqual([]), { timeout: 10_000 });
    const [code] = await once(run(JSON.stringify(shell('true'))), 'exit');
    expect(code).toBe(0);
  }, 60_000);
});

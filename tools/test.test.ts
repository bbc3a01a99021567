import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { root } from './process.ts';

it.skipIf(process.platform !== 'linux')(
  'A test run that is stopped names the test that was running, fails in its closing line, and leaves no process behind',
  async () => {
    const words = ['tools/test.ts', 'test', 'hanging-test', '--config', 'tools/testing/hanging.config.ts'];
    const run = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(run, 'close');
    let written = '';
    const started = Promise.withResolvers<string>();
    run.stdout.on('data', (chunk) => {
      written += String(chunk);
      const [, pid] = /waits with (\d+)\n/.exec(written) ?? [];
      if (pid !== undefined) started.resolve(pid);
    });
    void ended.then(() => started.reject(new Error(`It did not start:\n${written}`)));
    const pid = await started.promise;
    run.kill('SIGTERM');
    expect((await ended)[0]).toBe(1);
    expect(written).toContain(`left running, and killed: ${pid} `);
    expect(written).toContain('✗ test\n    it was stopped by SIGTERM\n');
    expect(written).toContain('tools/testing/hanging-test.ts');
    expect(written.trimEnd().split('\n').at(-1)).toMatch(/^0 passed, [1-9]\d* failed$/);
    // A zombie has an empty command line.
    const commandLine = `/proc/${pid}/cmdline`;
    await expect.poll(() => existsSync(commandLine) && readFileSync(commandLine, 'utf8') !== '').toBe(false);
  },
);

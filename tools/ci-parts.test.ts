import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runPart } from './ci-parts.ts';
import { root } from './process.ts';
import { closingLine, summarise } from './summary.ts';
import { readRecords, type TestRecord } from './test-record.ts';

const never = new AbortController().signal;
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const part = (code: string, limitSeconds = 60) => ({
  name: 'sample',
  command: [process.execPath, '--input-type=module', '--eval', code] as const,
  limitSeconds,
});
/** Records a passed test, as a suite would. */
const pass = `
  const { appendFileSync } = await import('node:fs');
  const record = (entry) => appendFileSync(process.env.TEST_RECORD_FILE, JSON.stringify(entry) + '\\n');
  record({ kind: 'result', file: 'a.test.ts', test: 'sings', state: 'passed', reason: '' });
`;
const withoutTimes = (records: readonly TestRecord[]) =>
  summarise(
    records.filter(({ kind }) => kind !== 'part' && kind !== 'leftover'),
    { nothingSkipped: false },
  );

describe.skipIf(process.platform !== 'linux')('a part of continuous integration', () => {
  it('hands on what its tests recorded', async () => {
    const records = await runPart(part(pass), folder, never);
    expect(closingLine(withoutTimes(records))).toBe('1 passed, 0 failed');
    expect(records.at(-1)).toMatchObject({ kind: 'part', name: 'sample as a whole' });
  });

  it('is ended when its time is up, and says which test ran', async () => {
    const hang = `${pass} record({ kind: 'started', file: 'b.test.ts', test: 'waits for ever' }); setInterval(() => {}, 1000);`;
    const { lines } = withoutTimes(await runPart(part(hang, 1), folder, never));
    expect(lines).toEqual(['✗ sample', '    its time was up after 1 s', '✗ did not finish: b.test.ts > waits for ever']);
  });

  it('shows its last words when it fails without a test that failed', async () => {
    const { lines } = withoutTimes(await runPart(part(`${pass} console.log('no disk left'); process.exit(3);`), folder, never));
    expect(lines).toEqual(['✗ sample', '    it ended with status 3:\n    no disk left']);
  });

  it('fails also where a test that passed on a retry is all it has recorded', async () => {
    const unstable = `${pass} record({ kind: 'result', file: 'a.test.ts', test: 'flies', state: 'unstable', reason: 'Error: late' }); process.exit(3);`;
    expect(closingLine(withoutTimes(await runPart(part(unstable), folder, never)))).toBe('2 passed, 1 failed');
  });

  it('leaves nothing running that it started, and names it', async () => {
    const child = `setInterval(() => {}, 1000); console.log('up');`;
    const daemon = `
      const { spawn } = await import('node:child_process');
      const child = spawn(process.execPath, ['--eval', ${JSON.stringify(child)}], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
      child.stdout.once('data', () => { record({ kind: 'part', name: String(child.pid), seconds: 0 }); process.exit(0); });
    `;
    const records = await runPart(part(pass + daemon), folder, never);
    const pid = records.find((record) => record.kind === 'part')?.name;
    expect(records.flatMap((record) => (record.kind === 'leftover' ? record.line.split(' ')[0] : []))).toEqual([pid]);
    // A zombie has an empty command line.
    const commandLine = `/proc/${pid}/cmdline`;
    await expect.poll(() => existsSync(commandLine) && readFileSync(commandLine, 'utf8') !== '').toBe(false);
  });

  it('is ended with the run that it belongs to', async () => {
    const stopped = new AbortController();
    const hang = `${pass} setInterval(() => {}, 1000);`;
    const running = runPart(part(hang), folder, stopped.signal);
    await expect.poll(() => readRecords(join(folder, 'sample.jsonl'))).toHaveLength(1);
    stopped.abort();
    expect(withoutTimes(await running).failed).toBe(1);
  });
});

it('vitest itself records what failed, and where', async () => {
  const records = join(folder, 'records.jsonl');
  const arguments_ = [
    'run',
    '--config',
    join(root, 'tools/testing/sample.config.ts'),
    '--reporter',
    join(root, 'tools/test-reporter.ts'),
  ];
  const child = spawn(join(root, 'node_modules/.bin/vitest'), arguments_, {
    cwd: root,
    stdio: 'ignore',
    env: { ...process.env, TEST_RECORD_FILE: records },
  });
  expect(await once(child, 'exit')).toEqual([1, null]);
  const { lines, passed, failed } = summarise(readRecords(records), { nothingSkipped: false });
  expect({ passed, failed }).toEqual({ passed: 2, failed: 3 });
  expect(lines.map((line) => line.replace(/:\d+\)/, ':LINE)'))).toEqual([
    '✗ tools/testing/sample-broken-file.ts',
    '    Error: cannot be loaded (tools/testing/sample-broken-file.ts:LINE)',
    '✗ tools/testing/sample-tests.ts > a suite whose preparation fails',
    '    Error: no server (tools/testing/sample-tests.ts:LINE)',
    '✗ tools/testing/sample-tests.ts > fails',
    "    AssertionError: expected 'a wren' to be 'a robin' // Object.is equality (tools/testing/sample-tests.ts:LINE)",
    'unstable: tools/testing/sample-tests.ts > passes at the second try (first failure: AssertionError: expected 1 to be 2 // Object.is equality (tools/testing/sample-tests.ts:LINE))',
    'skipped: tools/testing/sample-tests.ts > is skipped',
    'skipped: tools/testing/sample-tests.ts > is skipped with a reason (it rains)',
    'skipped: tools/testing/sample-tests.ts > a suite whose preparation fails > does not run',
  ]);
});

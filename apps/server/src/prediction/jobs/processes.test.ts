import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { isOver, nameOfThisRun, runLives } from './processes.ts';

describe.each([
  ['as this system tells of its processes', '/proc'],
  ['where no system tells when a process began', '/nowhere'],
])('a run, %s,', (_what, proc) => {
  it('lives as long as its process, and is not over while it is our own', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const [own, other] = [nameOfThisRun(process.pid, proc), nameOfThisRun(child.pid, proc)];
    expect([runLives(own, proc), isOver(own, own, proc)]).toEqual([true, false]);
    expect([runLives(other, proc), isOver(other, own, proc)]).toEqual([true, false]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect([runLives(other, proc), isOver(other, own, proc)]).toEqual([false, true]);
  });

  it('is over when this process has taken its id', () => {
    const own = nameOfThisRun(process.pid, proc);
    expect(isOver(nameOfThisRun(process.pid, proc), own, proc)).toBe(true);
  });

  it('is over when the machine was restarted, whoever has its process id now', () => {
    const own = nameOfThisRun(process.pid, proc);
    const now = nameOfThisRun(process.ppid, proc);
    const [processId, began = '', random] = now.split('.');
    const beganBefore = began.startsWith('booted-') ? 'booted-1700000000' : began.replace(/^\w+/, '00000000');
    const before = [processId, beganBefore, random].join('.');
    expect(isOver(now, own, proc)).toBe(false);
    expect(isOver(before, own, proc)).toBe(true);
  });
});

it.skipIf(process.platform !== 'linux')('a run is over when somebody else has got its process id since', () => {
  const now = nameOfThisRun(process.ppid);
  const before = now.replace(/-(\d+)\./, (_all, ticks: string) => `-${Number(ticks) - 1}.`);
  expect([isOver(now, nameOfThisRun()), isOver(before, nameOfThisRun())]).toEqual([false, true]);
});

it.each(['4711', `${process.ppid}`, `${process.ppid}.b3f1`, 'something', '', '0.x.y', '-1.x.y'])(
  'there is no run called “%s”',
  (name) => {
    expect(isOver(name, nameOfThisRun())).toBe(true);
  },
);

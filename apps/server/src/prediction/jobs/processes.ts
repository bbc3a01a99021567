import { randomUUID } from 'node:crypto';

/** Whether a process of that id lives. One that belongs to somebody else cannot be signalled, but it does live. */
export function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** A name for one run of the server, such as `4711.b3f1…`: a process id alone comes again, in a container at every start. */
export const nameOfThisRun = (): string => `${process.pid}.${randomUUID()}`;

/** Whether the run of that name is over, seen from the run called `own` on the same machine. */
export function isOver(run: string, own: string): boolean {
  const processId = Number(run.split('.', 1)[0]);
  return run !== own && (processId === process.pid || !Number.isInteger(processId) || !isAlive(processId));
}

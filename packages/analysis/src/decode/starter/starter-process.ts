/**
 * Starts programs for a process that is too large to do it: see `program-starter.ts`. What they write goes to that process directly,
 * through sockets that become their output; what passes through here is only the order and the end.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import { greetingOf, type StarterReply, type StarterRequest, type StreamName } from './messages.ts';

/** null: killed before it was started */
const children = new Map<string, ChildProcess | null>();
const end = (id: string, { code = null, signal = null, error = null }: Partial<StarterReply> = {}): void => {
  children.delete(id);
  const reply: StarterReply = { kind: 'ended', id, code, signal, error };
  process.send?.(reply);
};

async function openSocket(path: string, id: string, stream: StreamName): Promise<Socket> {
  const socket = connect(path);
  socket.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.write(greetingOf(id, stream), (error) => (error ? reject(error) : resolve()));
  });
  return socket;
}

async function start({ id, socketPath, program }: Extract<StarterRequest, { kind: 'start' }>): Promise<void> {
  const opened: (Socket | FileHandle)[] = [];
  const keep = <T extends Socket | FileHandle>(one: T): T => {
    opened.push(one);
    return one;
  };
  try {
    const stdout = keep(await openSocket(socketPath, id, 'stdout'));
    const stderr = keep(await openSocket(socketPath, id, 'stderr'));
    const input = keep(await open(program.inputPath, constants.O_RDONLY | constants.O_NONBLOCK));
    const output = program.outputPath === null ? null : keep(await open(program.outputPath, 'r+'));
    if (!children.has(id)) return end(id);
    const { cwd, env } = program;
    const stdio = ['ignore' as const, stdout, stderr, input.fd, ...(output === null ? [] : [output.fd])];
    const child = spawn(program.program, [...program.args], { cwd, env, stdio });
    children.set(id, child);
    child.once('error', (error) => end(id, { error: error.message }));
    child.once('exit', (code, signal) => end(id, { code, signal }));
    if (child.pid !== undefined && program.niceness > 0) setPriority(child.pid, program.niceness);
  } catch (error) {
    end(id, { error: String(error) });
  } finally {
    // Our copies: the program has its own, and the other side sees its end only when no copy is left.
    for (const one of opened) {
      if ('destroy' in one) one.destroy();
      else await one.close();
    }
  }
}

process.on('message', (request: StarterRequest) => {
  if (request.kind === 'start') {
    children.set(request.id, null);
    void start(request);
    return;
  }
  const child = children.get(request.id);
  if (child) child.kill('SIGKILL');
  else children.delete(request.id);
});

// Whoever asked is gone, however it ended: nothing that was started for it outlives it.
process.on('disconnect', () => {
  for (const child of children.values()) child?.kill('SIGKILL');
  process.exit();
});
// A terminal sends these to everything in it; when to end is for whoever asked to say.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

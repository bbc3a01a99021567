import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import {
  GREETING_BYTES,
  greetingOf,
  type StartedProgram,
  type StarterReply,
  type StarterRequest,
  type StreamName,
} from './messages.ts';

/** A program that runs, seen from here. */
export interface RunningProgram {
  readonly stdout: Socket;
  readonly stderr: Socket;
  kill(): void;
  /** Settles when it is gone and all it wrote has been read, or thrown away. */
  readonly exit: Promise<ProgramExit>;
}

export interface ProgramExit {
  /** null when it was killed or could not be started */
  readonly code: number | null;
  /** what killed it, be it from here or from elsewhere */
  readonly signal: NodeJS.Signals | null;
  readonly error: Error | null;
}

/**
 * Starts programs by way of a small process of its own.
 *
 * A process that starts another is copied first, and stands still meanwhile: one that holds models in hundreds of megabytes and is
 * busy on all cores for 30 to 80 ms each time (measured on two cores), which every request feels. The small one is copied in three.
 * Linux only: elsewhere processes are started without a copy.
 */
export interface ProgramStarter {
  /** What cannot be started is told here or, when it turns out later, by `exit`. */
  start(program: StartedProgram): Promise<RunningProgram>;
}

interface Pending {
  readonly sockets: Partial<Record<StreamName, Socket>>;
  readonly connected: PromiseWithResolvers<{ stdout: Socket; stderr: Socket }>;
  readonly ended: PromiseWithResolvers<ProgramExit>;
}

/** It takes 26 MB, and a tenth of a second to come back. */
const DEFAULT_IDLE_MS = 10_000;
/** A process that has no descriptors left never sees the sockets of what it has started. */
const CONNECTED_WITHIN_MS = 10_000;
/** It holds next to nothing. */
const STARTER_FLAGS = ['--disable-warning=ExperimentalWarning', '--max-old-space-size=32', '--max-semi-space-size=1'];

let shared: ProgramStarter | null = null;

/** The one starter of this process: how long a start takes is a matter of the process, not of who asks. It ends with the process. */
export function sharedProgramStarter(): ProgramStarter {
  shared ??= createProgramStarter();
  return shared;
}

/**
 * @param idleMs the small process ends when nothing has run for so long; the next start begins a new one
 * @param connectedWithinMs so long a start waits for what the program writes
 */
export function createProgramStarter(idleMs = DEFAULT_IDLE_MS, connectedWithinMs = CONNECTED_WITHIN_MS): ProgramStarter {
  const pending = new Map<string, Pending>();
  let host: ChildProcess | null = null;
  let idle: NodeJS.Timeout | undefined;
  let listening: Promise<{ server: Server; path: string }> | null = null;

  function failAll(error: Error): void {
    for (const { sockets, connected, ended } of pending.values()) {
      connected.reject(error);
      ended.resolve({ code: null, signal: null, error });
      // Nobody is left to tell how it ends: without a reader it will.
      sockets.stdout?.destroy();
      sockets.stderr?.destroy();
    }
    pending.clear();
    host = null;
  }

  function startHost(): ChildProcess {
    const started = fork(new URL('./starter-process.ts', import.meta.url), {
      execArgv: STARTER_FLAGS,
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const leave = (reason: string): void => {
      if (host === started) failAll(new Error(`The process that starts decoders has ended: ${reason}`));
    };
    started.on('message', ({ id, code, signal, error: reason }: StarterReply) => {
      const one = pending.get(id);
      if (!one) return;
      const error = reason === null ? null : new Error(reason);
      one.ended.resolve({ code, signal, error });
      if (error) one.connected.reject(error);
      // A quick one may have ended before its sockets have been noticed here.
      void one.connected.promise
        .catch(() => {})
        .then(() => {
          pending.delete(id);
          letGo();
        });
    });
    started.on('error', (error) => leave(error.message));
    started.on('exit', (code, signal) => leave(String(signal ?? code)));
    host = started;
    return started;
  }

  /** Nothing of it keeps the process alive but programs that run. */
  function letGo(): void {
    if (pending.size > 0) return;
    host?.unref();
    host?.channel?.unref();
    clearTimeout(idle);
    idle = setTimeout(() => {
      const ended = host;
      host = null;
      ended?.disconnect();
    }, idleMs);
    idle.unref();
  }

  async function listen(): Promise<{ server: Server; path: string }> {
    // No file that somebody would have to remove. Others can see the name, but not the ids that a connection must name.
    const path = `\0chiffchaff-${process.pid}-${randomBytes(8).toString('hex')}`;
    const server = createServer(welcome);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
    server.unref();
    return { server, path };
  }

  function welcome(socket: Socket): void {
    socket.on('error', () => {});
    const readGreeting = (): void => {
      const greeting: Buffer | null = socket.read(GREETING_BYTES);
      if (greeting === null) return;
      socket.off('readable', readGreeting);
      const text = greeting.toString('latin1');
      const id = text.slice(0, 36);
      const one = pending.get(id);
      const name = (['stdout', 'stderr'] as const).find((stream) => greetingOf(id, stream) === text);
      if (!one || name === undefined || one.sockets[name]) return void socket.destroy();
      one.sockets[name] = socket;
      const { stdout, stderr } = one.sockets;
      if (stdout && stderr) one.connected.resolve({ stdout, stderr });
    };
    socket.on('readable', readGreeting);
  }

  return {
    async start(program) {
      listening ??= listen();
      const { path: socketPath } = await listening;
      const id = randomUUID();
      const one: Pending = { sockets: {}, connected: Promise.withResolvers(), ended: Promise.withResolvers() };
      clearTimeout(idle);
      const starter = host ?? startHost();
      pending.set(id, one);
      starter.ref();
      starter.channel?.ref();
      const tell = (request: StarterRequest): void => {
        if (starter.connected) starter.send(request, () => {});
      };
      tell({ kind: 'start', id, socketPath, program });
      const givingUp = setTimeout(() => {
        tell({ kind: 'kill', id });
        one.connected.reject(new Error('What it writes could not be received.'));
      }, connectedWithinMs);
      try {
        const { stdout, stderr } = await one.connected.promise;
        const closed = [stdout, stderr].map((stream) => new Promise<void>((resolve) => stream.once('close', () => resolve())));
        const exit = Promise.all([one.ended.promise, ...closed]).then(([ended]) => ended);
        return { stdout, stderr, exit, kill: () => tell({ kind: 'kill', id }) };
      } catch (error) {
        one.sockets.stdout?.destroy();
        one.sockets.stderr?.destroy();
        throw error;
      } finally {
        clearTimeout(givingUp);
      }
    },
  };
}

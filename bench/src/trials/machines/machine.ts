import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { readProcessTree } from '../../harness/process-tree.ts';
import { killGroup, type ServerOptions, type StartedServer, startServer } from '../../harness/server.ts';

/** A machine that restarts its server whenever it ends, like a service manager, until it is stopped. */
export interface Machine {
  readonly name: string;
  readonly origin: string;
  /** Resolves when its server listens, immediately if it does already. */
  listening(): Promise<void>;
  /** Kills its server and all its processes with SIGKILL. The server is restarted soon. */
  kill(): Promise<void>;
  /** Ends its server with SIGTERM, without a restart. */
  stop(): Promise<void>;
  /** All output of its servers. */
  written(): string;
  /** Its processes: the server, the analysis, decoders. */
  processes(): readonly number[];
}

export interface MachineOptions extends Pick<ServerOptions, 'checkout' | 'program'> {
  readonly name: string;
  /** under which others reach it */
  readonly origin: string;
  readonly dataDir: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Like `RestartSec` of a systemd unit. */
const RESTART_AFTER_MS = 1_000;

export function startMachine({ name, origin, environment, ...options }: MachineOptions): Machine {
  let child: ChildProcess | null = null;
  let server: StartedServer | null = null;
  let stopped = false;
  let earlier = '';
  let listening = Promise.withResolvers<void>();
  const onSpawn = (spawned: ChildProcess): void => {
    child = spawned;
  };
  const goDown = (): void => {
    if (server !== null) listening = Promise.withResolvers();
    server = null;
  };

  async function keepRunning(): Promise<void> {
    while (!stopped) {
      try {
        const started = await startServer(environment, { ...options, asGroup: true, onSpawn });
        server = started;
        listening.resolve();
        await started.ended;
        earlier += started.written();
      } catch (error) {
        earlier += `${error instanceof Error ? error.message : error}\n`;
      }
      goDown();
      if (!stopped) await delay(RESTART_AFTER_MS);
    }
  }
  const over = keepRunning();

  return {
    name,
    origin,
    listening: () => listening.promise,
    async kill() {
      const ended = server?.ended;
      goDown();
      if (child !== null) killGroup(child);
      await ended;
    },
    async stop() {
      stopped = true;
      await server?.stop();
      if (child !== null) killGroup(child);
      await over;
    },
    written: () => earlier + (server?.written() ?? ''),
    processes: () => (child?.pid === undefined ? [] : readProcessTree(child.pid)),
  };
}

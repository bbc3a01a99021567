import { setTimeout as delay } from 'node:timers/promises';
import { round } from '../../harness/measures.ts';
import { readProcessTree } from '../../harness/process-tree.ts';
import { memorySettings, type StartedServer } from '../../harness/server.ts';
import { commandLineOf } from '../load/cpu-seconds.ts';

/** Memory of the analysis process in megabytes, after a garbage collection. */
export interface AnalysisMemory {
  /** objects and buffers of its main thread */
  readonly held: number;
  /** the whole process, with its threads and memory that the allocator has not returned */
  readonly resident: number;
}

/** Long enough for the idle thread that opens large predictions to end. */
const IDLE_MS = 12_000;
const STARTS_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 50;

/** Settings of a server whose analysis process can be inspected: the inspector listens on any free local port. */
export const inspectable = (checkout: string | undefined): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `${memorySettings(checkout).NODE_OPTIONS ?? ''} --inspect-port=127.0.0.1:0`,
});

export const analysisPidOf = ({ pid }: StartedServer): number | undefined =>
  readProcessTree(pid).find((each) => commandLineOf(each).includes('analysis-program'));

/** Opens the inspector of a server's analysis process: Node does so on SIGUSR1. @returns a function that measures the memory */
export async function watchAnalysisMemory(server: StartedServer): Promise<() => Promise<AnalysisMemory>> {
  const pid = analysisPidOf(server);
  if (pid === undefined) throw new Error('There is no analysis process.');
  process.kill(pid, 'SIGUSR1');
  const url = await addressOf(server);
  return async () => {
    await delay(IDLE_MS);
    await askInspector(url, 'HeapProfiler.collectGarbage', {});
    const { result } = await askInspector(url, 'Runtime.evaluate', {
      expression: '(({ heapUsed, external, rss }) => [heapUsed + external, rss])(process.memoryUsage())',
      returnByValue: true,
    });
    const [held = 0, resident = 0] = result.value as number[];
    return { held: round(held / 1e6), resident: round(resident / 1e6) };
  };
}

async function addressOf(server: StartedServer): Promise<string> {
  for (let waitedMs = 0; waitedMs < STARTS_WITHIN_MS; waitedMs += LOOK_EVERY_MS) {
    const url = /Debugger listening on (ws:\S+)/.exec(server.written())?.[1];
    if (url !== undefined) return url;
    await delay(LOOK_EVERY_MS);
  }
  throw new Error(`The inspector of the analysis process did not start:\n${server.written()}`);
}

// biome-ignore lint/suspicious/noExplicitAny: what the protocol answers; each caller says which fields it expects
async function askInspector(url: string, method: string, params: object): Promise<any> {
  const socket = new WebSocket(url);
  try {
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('error', reject, { once: true });
    });
    const answered = new Promise<string>((resolve, reject) => {
      socket.addEventListener('message', ({ data }) => resolve(String(data)), { once: true });
      socket.addEventListener('close', () => reject(new Error('The analysis process ended.')), { once: true });
    });
    socket.send(JSON.stringify({ id: 1, method, params }));
    return JSON.parse(await answered).result;
  } finally {
    socket.close();
  }
}

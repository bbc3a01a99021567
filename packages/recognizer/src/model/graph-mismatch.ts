import type { ModelManifest } from './manifest.ts';

type Mismatch = { readonly found: string; readonly expected: string };

/** Input and output names of a session, in either runtime. */
type GraphNames = { readonly inputNames: readonly string[]; readonly outputNames: readonly string[] };

/** How a graph's input and output differ from those that the manifest names; null if it has both. */
export function graphMismatch(
  { inputNames, outputNames }: GraphNames,
  { inputName, logitsName }: Pick<ModelManifest['audio'], 'inputName' | 'logitsName'>,
): Mismatch | null {
  const missing = [
    ...(inputNames.includes(inputName) ? [] : [`input ${inputName}`]),
    ...(outputNames.includes(logitsName) ? [] : [`output ${logitsName}`]),
  ];
  if (missing.length === 0) return null;
  const found = `a graph with inputs ${inputNames.join(', ')} and outputs ${outputNames.join(', ')}`;
  return { found, expected: missing.join(' and ') };
}

/** How the outputs for a number of clips differ from one for each label; null if they do not. */
export const outputMismatch = (outputs: Float32Array, clips: number, labelCount: number): Mismatch | null =>
  outputs.length === clips * labelCount
    ? null
    : { found: `${outputs.length / clips} outputs a clip`, expected: `${labelCount} labels` };

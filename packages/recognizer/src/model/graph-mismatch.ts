import type { ModelManifest } from './manifest.ts';

/** Input and output names of a session, in either runtime. */
interface GraphNames {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
}

/** How a graph's input and output differ from those that the manifest names; null if it has both. */
export function graphMismatch(
  { inputNames, outputNames }: GraphNames,
  { inputName, logitsName }: Pick<ModelManifest['audio'], 'inputName' | 'logitsName'>,
): { readonly found: string; readonly expected: string } | null {
  const missing = [
    ...(inputNames.includes(inputName) ? [] : [`input ${inputName}`]),
    ...(outputNames.includes(logitsName) ? [] : [`output ${logitsName}`]),
  ];
  if (missing.length === 0) return null;
  const found = `a graph with inputs ${inputNames.join(', ')} and outputs ${outputNames.join(', ')}`;
  return { found, expected: missing.join(' and ') };
}

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';

/** A figure as every measurement prints it. */
export interface Row {
  readonly what: string;
  readonly figure: string;
  /** What must hold. */
  readonly limit?: string;
  /** What of it does not; absent if there is no limit, or it could not be measured. */
  readonly faults?: readonly string[];
}

export function rowText({ what, figure, limit, faults }: Row): string {
  const mark = faults === undefined ? ' ' : faults.length === 0 ? '✓' : '✗';
  const lines = [`${mark} ${what.padEnd(20)}  ${figure}${limit === undefined ? '' : `  (limit: ${limit})`}`];
  return [...lines, ...(faults ?? []).map((fault) => `    ✗ ${fault}`), ''].join('\n');
}

/** A row whose value, in its unit, may not be above a limit, or with `least` not below one. */
export function limitedRow(
  what: string,
  value: number,
  { unit, most, least }: { unit: string; most?: number; least?: number },
): Row {
  const isFine = value <= (most ?? Number.POSITIVE_INFINITY) && value >= (least ?? Number.NEGATIVE_INFINITY);
  const limit = most === undefined ? `≥ ${least}` : `≤ ${most}`;
  return { what, figure: `${value} ${unit}`, limit: `${limit} ${unit}`, faults: isFine ? [] : [`${value} ${unit}`] };
}

/** The machine that the figures were measured on, without which they mean nothing. A load well above 0 is that of other programs. */
export function describeMachine(): string {
  const memory = Math.round(totalmem() / 1e9);
  return (
    `${cpus()[0]?.model.trim() ?? 'unknown'}, ${availableParallelism()} cores, ${memory} GB; ${platform()} ${release()} ${arch()}; ` +
    `Node ${process.version}, ONNX Runtime ${onnxRuntimeVersion()}; load ${(loadavg()[0] ?? 0).toFixed(2)}`
  );
}

/** ONNX Runtime is a dependency of the recogniser, so it is resolved from there. */
function onnxRuntimeVersion(): string {
  const fromRecognizer = createRequire(import.meta.resolve('@chiffchaff/recognizer'));
  return JSON.parse(readFileSync(fromRecognizer.resolve('onnxruntime-node/package.json'), 'utf8')).version;
}

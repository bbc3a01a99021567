import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';

/** The machine that the figures were measured on, without which they mean nothing. */
export interface MachineFacts {
  readonly processor: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly system: string;
  readonly node: string;
  readonly onnxRuntime: string;
  /** Load average of the minute before; well above 0 means that something else was running. */
  readonly loadBefore: number;
}

export function readMachineFacts(): MachineFacts {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    onnxRuntime: onnxRuntimeVersion(),
    loadBefore: loadavg()[0] ?? 0,
  };
}

/** ONNX Runtime is a dependency of the recogniser, so it is resolved from there. */
function onnxRuntimeVersion(): string {
  try {
    const fromRecognizer = createRequire(import.meta.resolve('@chiffchaff/recognizer'));
    const { version } = JSON.parse(readFileSync(fromRecognizer.resolve('onnxruntime-node/package.json'), 'utf8'));
    return String(version);
  } catch {
    return 'unknown';
  }
}

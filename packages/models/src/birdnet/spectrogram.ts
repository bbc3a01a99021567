import { factorKernels } from './factor-kernels.ts';
import { framesOf, fuseMelBranch, type MelBranch } from './front-end.ts';
import type { OnnxGraph } from './onnx-graph.ts';

/**
 * Adds a branch's nodes, from a waveform `[batch, samples]` to powers `[batch, 1, bands, frames]`, highest band first. Returns the name of
 * the result.
 */
export function addSpectrogram(onnx: OnnxGraph, branch: MelBranch, wave: string, samples: number): string {
  const signal = onnx.node('Unsqueeze', [wave, onnx.integers([1])]);
  const mel = addMel(onnx, branch, signal, samples);
  const squares = onnx.node('Mul', [mel, mel]);
  const exponent = onnx.floats(`${idOf(branch)}_exponent`, [], () => Float32Array.of(branch.exponent));
  // exp(a · ln x), which ONNX Runtime vectorises, whereas it calls pow value by value. ln 0 = −∞ and exp −∞ = 0 = pow(0, a).
  const powers = onnx.node('Exp', [onnx.node('Mul', [onnx.node('Log', [squares]), exponent])]);
  return onnx.node('Unsqueeze', [powers, onnx.integers([1])]);
}

/** Unique, because the branches of a model have different frames. */
const idOf = ({ window, step }: MelBranch): string => `mel_${window.length}_${step}`;

/** Two convolutions with short kernels must save this share of the multiplications to be worth their overhead. */
const WORTHWHILE = 1 / 3;

/** Two short convolutions if the kernels allow it (BirdNET's low branch: a quarter of the multiplications), otherwise one. */
function addMel(onnx: OnnxGraph, branch: MelBranch, signal: string, samples: number): string {
  const { bands, window, step } = branch;
  const frames = framesOf(branch, samples);
  const fused = fuseMelBranch(branch);
  const { piece, parts, count, waves, mix } = factorKernels(fused, bands, step);
  const multiplications = count * (samples + frames * bands * parts);
  if (multiplications > (1 - WORTHWHILE) * frames * bands * window.length) {
    const kernels = onnx.floats(`${idOf(branch)}_kernels`, [bands, 1, window.length], () => fused);
    return onnx.node('Conv', [signal, kernels], { kernel_shape: [window.length], strides: [step] });
  }

  // The last frame's last piece may extend past the clip, where every kernel is zero.
  const missing = Math.max(0, (frames - 1 + parts) * piece - samples);
  const projection = onnx.node('Conv', [signal, onnx.floats(`${idOf(branch)}_waves`, [count, 1, piece], () => waves)], {
    kernel_shape: [piece],
    strides: [piece],
    pads: [0, missing],
  });
  const mixing = onnx.floats(`${idOf(branch)}_mix`, [bands, count, parts], () => mix);
  const mixed = onnx.node('Conv', [projection, mixing], { kernel_shape: [parts] });
  // Drops the results for pieces that no frame begins with.
  const pieces = Math.floor((samples + missing) / piece);
  if (pieces - parts + 1 === frames) return mixed;
  return onnx.node('Slice', [mixed, ...[[0], [frames], [2]].map(onnx.integers)]);
}

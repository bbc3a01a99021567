import { floatsOf, type Graph, inputAt, integersOf, type Operator, producerOfKind, scalarOf, type Tensor } from './graph.ts';

/**
 * The spectrogram branch of BirdNET's graph, read as one strided convolution.
 *
 * The graph frames the samples, multiplies by a Hann window, transforms, keeps only the **real part** (the complex to float cast)
 * and multiplies by a mel matrix. All of that is linear, so each output is a dot product of the frame with a fixed kernel.
 */
export interface MelBranch {
  /** The tensor that is framed: the clip after scaling. */
  readonly samples: Tensor;
  /** Samples between starts of frames. */
  readonly step: number;
  /** One value per sample of a frame. */
  readonly window: Float32Array;
  /** `[bands, window.length / 2 + 1]`, row by row. */
  readonly mel: Float32Array;
  readonly bands: number;
  /** The squared mel values are raised to this power. */
  readonly exponent: number;
}

/**
 * Reads a branch backwards from its last operator. Every constant comes from the file.
 *
 * Throws `ModelError` `GRAPH_UNEXPECTED` if the operators differ from those described above.
 */
export function readMelBranch(graph: Graph, last: Operator): MelBranch {
  const back = (operator: Operator, kind: string, position = 0): Operator =>
    producerOfKind(graph, inputAt(operator, position), kind);

  const power = back(back(back(last, 'TRANSPOSE'), 'REVERSE_V2'), 'POW');
  const square = back(power, 'MUL');
  const melProduct = back(back(square, 'RESHAPE'), 'FULLY_CONNECTED');
  const realPart = back(back(melProduct, 'RESHAPE'), 'CAST');
  const transform = back(back(realPart, 'SQUEEZE'), 'RFFT2D');
  const windowed = back(back(transform, 'EXPAND_DIMS'), 'MUL');
  const window = floatsOf(inputAt(windowed, 1));
  const melTensor = inputAt(melProduct, 1);
  const [bands = 0] = melTensor.shape;

  const gather = back(back(windowed, 'RESHAPE'), 'GATHER');
  const cut = back(back(gather, 'RESHAPE'), 'STRIDED_SLICE');
  return {
    samples: inputAt(cut, 0),
    step: readStep(graph, gather, window.length),
    window,
    mel: floatsOf(melTensor),
    bands,
    exponent: scalarOf(inputAt(power, 1)),
  };
}

/**
 * Frames are gathered from pieces of gcd(window, step) samples: part p of frame f is piece `f · stride + p`. The number of parts
 * gives the length of a piece, and with it the step.
 */
function readStep(graph: Graph, gather: Operator, windowLength: number): number {
  const indices = producerOfKind(graph, inputAt(gather, 1), 'ADD');
  const parts = integersOf(inputAt(indices, 1));
  const starts = producerOfKind(graph, inputAt(producerOfKind(graph, inputAt(indices, 0), 'RESHAPE'), 0), 'MUL');
  return (scalarOf(inputAt(starts, 1)) * windowLength) / parts.length;
}

/** Whether an operator ends a branch: it adds the channel axis to the reversed, transposed spectrogram. */
export const isMelBranchEnd = (graph: Graph, operator: Operator): boolean =>
  operator.kind === 'EXPAND_DIMS' && graph.producer(inputAt(operator, 0))?.kind === 'TRANSPOSE';

/**
 * The branch's kernels, `[bands, window.length]`, highest band first (the graph reverses the mel axis):
 *
 *     kernel[n, m] = window[n] · Σₖ cos(2π·((n·k) mod N)/N) · mel[k, m]
 *
 * in float64, rounded once to float32. Reducing n·k before the cosine keeps the angle exact.
 */
export function fuseMelBranch({ window, mel, bands }: MelBranch): Float32Array {
  const length = window.length;
  const bins = length / 2 + 1;
  const cosines = Float64Array.from({ length }, (_, index) => Math.cos((2 * Math.PI * index) / length));
  const kernels = new Float32Array(bands * length);
  const sums = new Float64Array(length);
  for (let band = 0; band < bands; band++) {
    sums.fill(0);
    for (let bin = 0; bin < bins; bin++) {
      const weight = mel[band * bins + bin] ?? 0;
      // A band covers few bins; skipping the others makes this fifty times faster.
      if (weight === 0) continue;
      for (let n = 0; n < length; n++) sums[n] = (sums[n] ?? 0) + weight * (cosines[(n * bin) % length] ?? 0);
    }
    const row = (bands - 1 - band) * length;
    for (let n = 0; n < length; n++) kernels[row + n] = (sums[n] ?? 0) * (window[n] ?? 0);
  }
  return kernels;
}

/** Number of frames in a clip: only whole ones, without padding. */
export const framesOf = ({ window, step }: MelBranch, samples: number): number =>
  Math.floor((samples - window.length) / step) + 1;

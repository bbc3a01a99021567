import { type Layer, type TinyBranch, type TinyWeights, tinySizes } from './tiny-birdnet.ts';

/**
 * Reference for the tiny model, by TFLite's rules and in its layout (rows, columns, channels). Computed directly and slowly:
 * framing, window, Fourier sum and mel sum, one after the other.
 */
interface Maps {
  readonly height: number;
  readonly width: number;
  readonly channels: number;
  readonly at: (row: number, column: number, channel: number) => number;
}

export function tinyLogits(weights: TinyWeights, samples: Float32Array): { logits: number[]; embedding: number[] } {
  const least = Math.min(...samples);
  const most = Math.max(...samples.map((sample) => sample - least)) + 1e-6;
  const scaled = [...samples].map((sample) => ((sample - least) / most - 0.5) * 2);

  const spectrograms = weights.branches.map((branch) => spectrogram(branch, scaled));
  const [height, width] = [tinySizes.bands, spectrograms[0]?.[0]?.length ?? 0];
  const normalised = filled(height, width, 2, (row, column, channel) => {
    const value = spectrograms[channel]?.[row]?.[column] ?? Number.NaN;
    return value * (weights.scale[channel] ?? 0) + (weights.shift[channel] ?? 0);
  });
  const first = convolve(normalised, weights.first, 2, 'same', relu);
  const half = Math.floor((first.width - 2) / 2) + 1;
  const joined = filled(first.height, half, 2 * first.channels, (row, column, channel) => {
    const source = channel % first.channels;
    const pair = [first.at(row, 2 * column, source), first.at(row, 2 * column + 1, source)] as const;
    return channel < first.channels ? Math.max(...pair) : (pair[0] + pair[1]) / 2;
  });
  const mixed = convolve(joined, weights.mixed, 1, 'valid', swish);
  const depthwise = convolveDepthwise(mixed, weights.depthwise);
  const squeezed = convolve(meanOf(depthwise), weights.squeeze, 1, 'same', swish);
  const gate = convolve(squeezed, weights.excite, 1, 'same', sigmoid);
  const residual = filled(depthwise.height, depthwise.width, depthwise.channels, (row, column, channel) => {
    const value = depthwise.at(row, column, channel);
    return relu(value * gate.at(0, 0, channel) + value);
  });
  const embedding = channelsOf(meanOf(convolve(residual, weights.projected, 1, 'same', relu)));
  const logits = [...weights.head.bias].map((bias, index) =>
    embedding.reduce((sum, value, place) => sum + value * (weights.head.weights[index * embedding.length + place] ?? 0), bias),
  );
  return { logits, embedding };
}

/** `[bands][frames]`, the highest band first. */
function spectrogram({ window, mel, step, exponent }: TinyBranch, samples: readonly number[]): number[][] {
  const length = window.length;
  const bins = length / 2 + 1;
  const frames = Math.floor((samples.length - length) / step) + 1;
  const bands = mel.length / bins;
  return Array.from({ length: bands }, (_, row) =>
    Array.from({ length: frames }, (_, frame) => {
      const band = bands - 1 - row;
      let energy = 0;
      for (let bin = 0; bin < bins; bin++) {
        let real = 0;
        for (let n = 0; n < length; n++) {
          real += (samples[frame * step + n] ?? 0) * (window[n] ?? 0) * Math.cos((-2 * Math.PI * bin * n) / length);
        }
        energy += real * (mel[band * bins + bin] ?? 0);
      }
      return (energy * energy) ** exponent;
    }),
  );
}

const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value));
const swish = (value: number): number => value * sigmoid(value);
const relu = (value: number): number => Math.max(0, value);

function filled(height: number, width: number, channels: number, value: Maps['at']): Maps {
  const numbers = new Float64Array(height * width * channels);
  const place = (row: number, column: number, channel: number): number => (row * width + column) * channels + channel;
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      for (let channel = 0; channel < channels; channel++) numbers[place(row, column, channel)] = value(row, column, channel);
    }
  }
  const inside = (row: number, column: number): boolean => row >= 0 && row < height && column >= 0 && column < width;
  return {
    height,
    width,
    channels,
    at: (row, column, channel) => (inside(row, column) ? (numbers[place(row, column, channel)] ?? Number.NaN) : 0),
  };
}

function convolve(
  source: Maps,
  { shape: [filters, kernelHeight, kernelWidth, inputs], weights, bias }: Layer,
  stride: number,
  padding: 'same' | 'valid',
  activation: (value: number) => number,
): Maps {
  const begin = (size: number, kernel: number): number =>
    padding === 'valid' ? 0 : Math.floor(Math.max(0, (Math.ceil(size / stride) - 1) * stride + kernel - size) / 2);
  const size = (length: number, kernel: number): number =>
    padding === 'same' ? Math.ceil(length / stride) : Math.floor((length - kernel) / stride) + 1;
  const [top, left] = [begin(source.height, kernelHeight), begin(source.width, kernelWidth)];
  return filled(size(source.height, kernelHeight), size(source.width, kernelWidth), filters, (row, column, filter) => {
    let sum = bias[filter] ?? 0;
    for (let y = 0; y < kernelHeight; y++) {
      for (let x = 0; x < kernelWidth; x++) {
        for (let input = 0; input < inputs; input++) {
          const weight = weights[((filter * kernelHeight + y) * kernelWidth + x) * inputs + input] ?? 0;
          sum += weight * source.at(row * stride + y - top, column * stride + x - left, input);
        }
      }
    }
    return activation(sum);
  });
}

/** 3 × 3, stride 2, one row and column of padding on every side, then swish. */
const convolveDepthwise = (source: Maps, { weights, bias }: Layer): Maps =>
  filled(
    Math.floor((source.height - 1) / 2) + 1,
    Math.floor((source.width - 1) / 2) + 1,
    source.channels,
    (row, column, channel) => {
      let sum = bias[channel] ?? 0;
      for (let y = 0; y < 3; y++) {
        for (let x = 0; x < 3; x++) {
          sum +=
            (weights[(y * 3 + x) * source.channels + channel] ?? 0) * source.at(2 * row + y - 1, 2 * column + x - 1, channel);
        }
      }
      return swish(sum);
    },
  );

const meanOf = (source: Maps): Maps =>
  filled(1, 1, source.channels, (_row, _column, channel) => {
    let sum = 0;
    for (let row = 0; row < source.height; row++) {
      for (let column = 0; column < source.width; column++) sum += source.at(row, column, channel);
    }
    return sum / (source.height * source.width);
  });

const channelsOf = (source: Maps): number[] => Array.from({ length: source.channels }, (_, channel) => source.at(0, 0, channel));

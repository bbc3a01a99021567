interface WaveShape {
  /** Hz */
  readonly sampleRate: number;
  readonly channels: number;
  readonly bytesPerSample: number;
}

/** Length of a header without further chunks. */
export const WAVE_HEADER_BYTES = 44;

const textBytes = (text: string): readonly number[] => Array.from(text, (character) => character.charCodeAt(0));
const numberBytes = (value: number, length: 2 | 4): readonly number[] =>
  Array.from({ length }, (_, index) => (value >>> (8 * index)) & 255);

/** A chunk of a WAV file, padded to an even length. @param name four letters of ASCII */
export const waveChunk = (name: string, content: Uint8Array | readonly number[]): readonly number[] => [
  ...textBytes(name),
  ...numberBytes(content.length, 4),
  ...content,
  ...(content.length % 2 === 0 ? [] : [0]),
];

/** Everything before the samples of a WAV. @param further chunks in front of the samples */
export function waveHeader(
  { sampleRate, channels, bytesPerSample }: WaveShape,
  dataBytes: number,
  further: readonly number[] = [],
): Uint8Array<ArrayBuffer> {
  const format = [
    ...numberBytes(1, 2), // PCM
    ...numberBytes(channels, 2),
    ...numberBytes(sampleRate, 4),
    ...numberBytes(sampleRate * channels * bytesPerSample, 4),
    ...numberBytes(channels * bytesPerSample, 2),
    ...numberBytes(8 * bytesPerSample, 2),
  ];
  const chunks = [...waveChunk('fmt ', format), ...further, ...textBytes('data'), ...numberBytes(dataBytes, 4)];
  const rest = [...textBytes('WAVE'), ...chunks];
  return Uint8Array.from([...textBytes('RIFF'), ...numberBytes(rest.length + dataBytes, 4), ...rest]);
}

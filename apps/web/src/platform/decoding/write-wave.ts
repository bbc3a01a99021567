/** Metadata of a recording, to be written with its samples. */
export interface WaveMetadata {
  /** ISO date or date and time, by the recorder's clock */
  readonly timestamp: string | null;
  /** degrees */
  readonly place: { readonly latitude: number; readonly longitude: number } | null;
}

interface WaveShape {
  /** Hz */
  readonly sampleRate: number;
  readonly channels: number;
  /** of all samples, 16 bits each */
  readonly dataBytes: number;
  readonly metadata: WaveMetadata;
}

const FORMAT_BYTES = 16;

/** Everything before the samples of a 16-bit WAV; time and place as GUANO, which bat and bird recorders write. */
export function waveHeader({ sampleRate, channels, dataBytes, metadata }: WaveShape): Uint8Array<ArrayBuffer> {
  const guano = guanoOf(metadata);
  const guanoBytes = guano.length === 0 ? 0 : 8 + guano.length + (guano.length % 2);
  const header = new Uint8Array(12 + 8 + FORMAT_BYTES + guanoBytes + 8);
  const view = new DataView(header.buffer);
  let at = 0;
  const text = (letters: string): void => {
    for (const letter of letters) view.setUint8(at++, letter.charCodeAt(0));
  };
  const number = (value: number, bytes: 2 | 4 = 4): void => {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += bytes;
  };
  text('RIFF');
  number(header.length - 8 + dataBytes);
  text('WAVEfmt ');
  number(FORMAT_BYTES);
  number(1, 2); // PCM
  number(channels, 2);
  number(sampleRate);
  number(sampleRate * channels * 2);
  number(channels * 2, 2);
  number(16, 2);
  if (guanoBytes > 0) {
    text('guan');
    number(guano.length);
    header.set(guano, at);
    at += guanoBytes - 8;
  }
  text('data');
  number(dataBytes);
  return header;
}

function guanoOf({ timestamp, place }: WaveMetadata): Uint8Array {
  const lines = [
    ...(timestamp === null ? [] : [`Timestamp:${timestamp}`]),
    ...(place === null ? [] : [`Loc Position:${place.latitude} ${place.longitude}`]),
  ];
  return new TextEncoder().encode(lines.length === 0 ? '' : ['GUANO|Version:1.0', ...lines, ''].join('\n'));
}

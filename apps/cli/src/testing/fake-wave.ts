/** For tests: a WAV file of an intermittent whistle, 16 bit mono. */
export function makeWave({
  seconds,
  sampleRate = 48_000,
}: {
  readonly seconds: number;
  readonly sampleRate?: number;
}): Uint8Array {
  const count = Math.round(seconds * sampleRate);
  const file = new DataView(new ArrayBuffer(44 + count * 2));
  const ascii = (offset: number, text: string) => {
    for (let i = 0; i < text.length; i++) file.setUint8(offset + i, text.charCodeAt(i));
  };
  ascii(0, 'RIFF');
  file.setUint32(4, 36 + count * 2, true);
  ascii(8, 'WAVEfmt ');
  file.setUint32(16, 16, true);
  file.setUint16(20, 1, true);
  file.setUint16(22, 1, true);
  file.setUint32(24, sampleRate, true);
  file.setUint32(28, sampleRate * 2, true);
  file.setUint16(32, 2, true);
  file.setUint16(34, 16, true);
  ascii(36, 'data');
  file.setUint32(40, count * 2, true);
  for (let i = 0; i < count; i++) {
    const time = i / sampleRate;
    const sings = time % 1 < 0.4;
    file.setInt16(44 + i * 2, sings ? 8000 * Math.sin(2 * Math.PI * (3000 * time + 40 * Math.sin(30 * time))) : 0, true);
  }
  return new Uint8Array(file.buffer);
}

/** A mono 16-bit WAV file of a tone that rises and falls by 400 Hz, as steady ones are no bird, at 48 kHz. */
export function wav(seconds: number): Buffer {
  const sampleRate = 48_000;
  const samples = Buffer.alloc(Math.round(seconds * sampleRate) * 2);
  for (let n = 0; n < samples.length / 2; n += 1) {
    const time = n / sampleRate;
    samples.writeInt16LE(Math.round(8000 * Math.sin(2 * Math.PI * 4000 * time + 200 * Math.sin(12 * time))), n * 2);
  }
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(sampleRate, 24);
  head.writeUInt32LE(sampleRate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

import { describe, expect, it } from 'vitest';
import { be32, concat, le32, le64, zeros } from '../testing/bytes.ts';
import { makeWav } from '../testing/make-wav.ts';
import { type Ending, readEnding } from './ending.ts';
import { recordingKinds } from './recording-kinds.ts';

function endingOf(kind: keyof typeof recordingKinds, bytes: Uint8Array): Promise<Ending | null> {
  return readEnding(recordingKinds[kind], bytes.length, async (offset, length) => bytes.subarray(offset, offset + length));
}

const whole = { isEarly: false, missingShare: 0 };

describe('The check whether a recording was cut off (`readEnding`)', () => {
  it('finds missing samples if a WAV header states more of them than there are', async () => {
    const wav = makeWav({ seconds: 1 });
    expect(await endingOf('wav', wav)).toEqual(whole);
    expect(await endingOf('wav', wav.subarray(0, 44 + 24_000))).toEqual({ isEarly: true, missingShare: 0.75 });
  });

  it.each([0, 2 ** 32 - 1])(
    'ignores a stated WAV length of %i, left by a recorder that lost power or by a pipe',
    async (dataBytes) => {
      expect(await endingOf('wav', makeWav({ stated: { dataBytes } }))).toBeNull();
    },
  );

  it('uses the length in the ds64 chunk of an RF64', async () => {
    const data = zeros(1000);
    const rf64 = (stated: number) =>
      concat(
        'RF64',
        le32(2 ** 32 - 1),
        'WAVE',
        'ds64',
        le32(28),
        le64(0),
        le64(stated),
        le64(0),
        le32(0),
        'data',
        le32(2 ** 32 - 1),
        data,
      );
    expect(await endingOf('rf64', rf64(1000))).toEqual(whole);
    expect(await endingOf('rf64', rf64(4000))).toEqual({ isEarly: true, missingShare: 0.75 });
  });

  it('uses the length in the data chunk of a W64 and a CAF', async () => {
    const guid = (name: string) => concat(name, zeros(12));
    const w64 = (stated: number) =>
      concat(guid('riff'), le64(0), guid('wave'), guid('fmt '), le64(40), zeros(16), guid('data'), le64(24 + stated), zeros(500));
    expect(await endingOf('w64', w64(500))).toEqual(whole);
    expect(await endingOf('w64', w64(1000))).toEqual({ isEarly: true, missingShare: 0.5 });
    const caf = (stated: number) =>
      concat('caff\0\x01\0\0', 'desc', be32(0), be32(32), zeros(32), 'data', be32(0), be32(stated), zeros(500));
    expect(await endingOf('caf', caf(500))).toEqual(whole);
    expect(await endingOf('caf', caf(1000))).toEqual({ isEarly: true, missingShare: 0.5 });
  });

  it('reports an Ogg that ends inside a page, or without one, as cut off', async () => {
    const page = concat('OggS\0\0', zeros(20), [2, 100, 50], zeros(150));
    expect(await endingOf('ogg', concat(page, page))).toEqual(whole);
    expect(await endingOf('ogg', concat(page, page).subarray(0, 300))).toEqual({ isEarly: true, missingShare: 0 });
    for (const bytes of [5000, 100_000]) {
      expect(await endingOf('ogg', concat(page, zeros(bytes)))).toEqual({ isEarly: true, missingShare: 0 });
    }
    expect(await endingOf('ogg', concat(page, 'TAG', zeros(125)))).toEqual(whole);
  });

  it('gives no answer for containers that state no length in bytes', async () => {
    expect(await endingOf('mp3', zeros(100))).toBeNull();
  });

  it.each(['wav', 'w64', 'caf', 'asf'] as const)(
    'gives no answer for a %s whose chunks are all zeros, which it does not read for ever',
    async (kind) => {
      expect(await endingOf(kind, zeros(100_000))).toBeNull();
    },
  );
});

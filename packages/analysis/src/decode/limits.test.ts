import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { childProcesses } from '../testing/child-processes.ts';
import { failureOf } from '../testing/failure-of.ts';
import { makeWav } from '../testing/make-wav.ts';
import { readAll } from '../testing/read-all.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { type DecodeLimits, defaultDecodeLimits } from './limits.ts';

/** Both sides of each limit. Memory and silent decoders are tested with the decoder itself. */
describe('The decoding limit', () => {
  const folder = temporaryFolder();
  const { minSampleRate, maxSampleRate, maxChannels } = defaultDecodeLimits;
  const quiet = () => 0.01;

  it.each<[what: string, inside: Uint8Array, outside: Uint8Array, code: string, limits?: Partial<DecodeLimits>]>([
    ['shortest duration', makeWav({ seconds: 0.5 }), makeWav({ seconds: 0.49 }), 'RECORDING_TOO_SHORT'],
    ['longest duration', makeWav({ seconds: 2 }), makeWav({ seconds: 2.1 }), 'RECORDING_TOO_LONG', { maxSeconds: 2 }],
    [
      'number of channels',
      makeWav({ seconds: 0.6, sampleRate: 8000, channels: maxChannels, sample: quiet }),
      makeWav({ seconds: 0.6, sampleRate: 8000, channels: maxChannels + 1, sample: quiet }),
      'RECORDING_TOO_DEMANDING',
    ],
    [
      'lowest sampling rate',
      makeWav({ sampleRate: minSampleRate, sample: quiet }),
      makeWav({ sampleRate: minSampleRate - 1, sample: quiet }),
      'RECORDING_TOO_DEMANDING',
    ],
    [
      'highest sampling rate',
      makeWav({ seconds: 0.6, sampleRate: maxSampleRate, sample: quiet }),
      makeWav({ seconds: 0.6, sampleRate: maxSampleRate + 1, sample: quiet }),
      'RECORDING_TOO_DEMANDING',
    ],
  ])(
    'of the %s accepts what is just within it and refuses what is just beyond it',
    async (_what, inside, outside, code, limits = {}) => {
      expect((await failureOf(readAll(folder.write('a.wav', inside), { limits }))).code).toBe('none');
      expect((await failureOf(readAll(folder.write('a.wav', outside), { limits }))).code).toBe(code);
    },
  );

  it.each([
    ['ends a decoder that keeps working', ':', 'RECORDING_TOO_DEMANDING'],
    ['does not count the time in which a decoder does not work', 'sleep 0.05', 'RECORDING_EMPTY'],
  ])('of processor time %s, though the decoder keeps printing messages', async (_what, pause, code) => {
    const script = `n=0; while [ $n -lt 20 ] || [ '${pause}' = : ]; do n=$((n + 1)); echo '[info] still at it' >&2; ${pause}; done`;
    const drip = folder.write('drip', `#!/bin/sh\n${script}\necho "[error] Stream map matches no streams" >&2\n`);
    chmodSync(drip, 0o755);
    const wav = folder.write('a.wav', makeWav());
    const failure = await failureOf(readAll(wav, { ffmpeg: drip, limits: { stallMs: 60_000, maxWaitMs: 500 } }));
    expect(failure.code).toBe(code);
    expect(await childProcesses()).toEqual([]);
  });
});

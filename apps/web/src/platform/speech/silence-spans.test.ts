import { chunk, utf8 } from '@chiffchaff/survey/testing';
import { describe, expect, it, vi } from 'vitest';
import { fakeWave } from '../../testing/fake-wave.ts';
import { silenceSpans } from './silence-spans.ts';

const RATE = 8000;
const none = { timestamp: null, place: null };
/** Ten seconds of constant loud audio. */
const loud = Float32Array.from({ length: 10 * RATE }, (_, n) => (n % 2 === 0 ? 0.5 : -0.5));

const bytesOf = async (file: Blob) => new Uint8Array(await file.arrayBuffer());

describe('Silencing speech in a recording', () => {
  it.each([
    { bits: 8, isFloat: false, silence: 128 },
    { bits: 16, isFloat: false, silence: 0 },
    { bits: 24, isFloat: false, silence: 0 },
    { bits: 32, isFloat: true, silence: 0 },
  ])('writes zeros over the speech in a WAV of $bits bits, and keeps every other byte', async ({ bits, isFloat, silence }) => {
    const chunks = [chunk('guan', utf8('Timestamp: 2026-05-01T05:12\nLoc Position: 50.8357 12.9292\n'))];
    const bytes = fakeWave({ sampleRate: RATE, bits, isFloat, planes: [loud, loud], chunks });
    const file = new File([bytes], 'dawn.wav', { lastModified: 1_700_000_000_000 });
    const spans = [
      { startSeconds: 1.5, endSeconds: 4 },
      { startSeconds: 7, endSeconds: 12 },
    ];
    const silenced = await silenceSpans(file, spans, none);
    expect(silenced).toMatchObject({ name: 'dawn.wav', size: bytes.length, lastModified: 1_700_000_000_000 });
    const frame = (2 * bits) / 8;
    const data = bytes.length - loud.length * frame;
    const expected = bytes.slice().fill(silence, data + 1.5 * RATE * frame, data + 4 * RATE * frame);
    expected.fill(silence, data + 7 * RATE * frame);
    expect(await bytesOf(silenced)).toEqual(expected);
    expect(expected).not.toEqual(bytes);
  });

  it('makes a WAV of a recording in another format, with its date and place', async () => {
    const samples = loud.slice();
    vi.stubGlobal(
      'OfflineAudioContext',
      class {
        decodeAudioData = async () => ({
          ...{ length: samples.length, numberOfChannels: 1, duration: 10 },
          getChannelData: () => samples,
        });
      },
    );
    const file = new File(['not a wave'], 'Spaziergang.m4a');
    const metadata = { timestamp: '2026-05-01', place: { latitude: 50.8357, longitude: 12.9292 } };
    const silenced = await silenceSpans(file, [{ startSeconds: 0.5, endSeconds: 1.5 }], metadata);
    expect([silenced.name, silenced.type]).toEqual(['Spaziergang.wav', 'audio/wav']);
    // The usual rate is used if the file states none.
    const expected = loud.slice().fill(0, 24_000, 72_000);
    const guano = utf8('GUANO|Version:1.0\nTimestamp:2026-05-01\nLoc Position:50.8357 12.9292\n');
    const written = await bytesOf(silenced);
    expect(written).toEqual(fakeWave({ sampleRate: 48_000, planes: [expected], chunks: [chunk('guan', guano)] }));
  });
});

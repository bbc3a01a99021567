import { chunk, utf8 } from '@chiffchaff/survey/testing';
import { AudioSample, AudioSampleSink } from 'mediabunny';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fakeWave, tone } from '../../testing/fake-wave.ts';
import { decodeFile } from './decode-file.ts';

const RATE = 48_000;

async function decode(...parts: readonly Uint8Array<ArrayBuffer>[]) {
  const { samples, ...about } = await decodeFile(new Blob([...parts]));
  const all: number[] = [];
  for await (const piece of samples) all.push(...piece);
  return { ...about, samples: Float32Array.from(all) };
}
const worstDifference = (one: Float32Array, other: Float32Array): number =>
  one.reduce((worst, sample, n) => Math.max(worst, Math.abs(sample - (other[n] ?? 9))), 0);

afterEach(() => vi.unstubAllGlobals());

describe('Decoding a WAV in the browser', () => {
  const sound = tone(1000, RATE, 0.2);

  it.each([
    { bits: 8, isFloat: false, codec: 'pcm_u8', within: 2 ** -7 },
    { bits: 16, isFloat: false, codec: 'pcm_s16le', within: 2 ** -14 },
    { bits: 24, isFloat: false, codec: 'pcm_s24le', within: 2 ** -22 },
    { bits: 32, isFloat: false, codec: 'pcm_s32le', within: 2 ** -23 },
    { bits: 32, isFloat: true, codec: 'pcm_f32le', within: 0 },
    { bits: 64, isFloat: true, codec: 'pcm_f64le', within: 0 },
  ])('gives the recorded samples: $codec', async ({ bits, isFloat, codec, within }) => {
    const decoded = await decode(fakeWave({ sampleRate: RATE, bits, isFloat, planes: [sound] }));
    expect(decoded).toMatchObject({ container: 'wav', codec, sampleRate: RATE, channels: 1, expectedSeconds: 0.2 });
    expect(decoded.samples.length).toBe(sound.length);
    expect(worstDifference(decoded.samples, sound)).toBeLessThanOrEqual(within);
  });

  it('is left to the server if the header states too little sound, or an AudioMoth left out quiet parts', async () => {
    const bytes = fakeWave({ sampleRate: RATE, planes: [sound] });
    new DataView(bytes.buffer).setUint32(40, 44, true);
    await expect(decode(bytes)).rejects.toThrow('Only the server');
    const comment = utf8('INFOICMT by AudioMoth 24E144085F256AB1. Amplitude threshold was 512 with 1s minimum trigger duration.');
    await expect(decode(fakeWave({ sampleRate: RATE, planes: [sound], chunks: [chunk('LIST', comment)] }))).rejects.toThrow(
      'Only',
    );
  });

  it.each([
    ['read to the end', Number.POSITIVE_INFINITY],
    ['not read at all', 0],
    ['given up in the middle', 1],
  ])('releases the decoded samples if they are %s', async (_how, piecesRead) => {
    const handedOut: AudioSample[] = [];
    const { samples: samplesOf } = AudioSampleSink.prototype;
    vi.spyOn(AudioSampleSink.prototype, 'samples').mockImplementation(async function* handOut(this: AudioSampleSink) {
      for await (const sample of samplesOf.call(this)) {
        handedOut.push(sample);
        yield sample;
      }
    });
    const close = vi.spyOn(AudioSample.prototype, 'close');
    const { samples } = await decodeFile(new Blob([fakeWave({ sampleRate: RATE, planes: [sound] })]));
    for (let read = 0; read < piecesRead && !(await samples.next()).done; read += 1);
    await samples.return();
    expect(handedOut).not.toEqual([]);
    expect(handedOut.filter((sample) => !close.mock.contexts.includes(sample))).toEqual([]);
  });

  it('gives samples at 48 kHz, whatever the sampling rate of the recording', async () => {
    const decoded = await decode(fakeWave({ sampleRate: 22_050, isFloat: true, bits: 32, planes: [tone(1000, 22_050, 0.2)] }));
    expect(decoded.sampleRate).toBe(22_050);
    expect(decoded.samples.length).toBe(9600);
    expect(worstDifference(decoded.samples.slice(1000, -1000), sound.slice(1000, -1000))).toBeLessThan(1e-5);
  });

  it('gives the mean of two channels, or one of them if the two cancel each other', async () => {
    const silence = new Float32Array(sound.length);
    const float = { sampleRate: RATE, isFloat: true, bits: 32 };
    const oneSided = await decode(fakeWave({ ...float, planes: [sound, silence] }));
    expect(oneSided.channels).toBe(2);
    expect(
      worstDifference(
        oneSided.samples,
        sound.map((sample) => sample / 2),
      ),
    ).toBe(0);
    const opposite = await decode(fakeWave({ ...float, planes: [sound, sound.map((sample) => -sample)] }));
    expect(worstDifference(opposite.samples, sound)).toBe(0);
  });

  it('gives silence for samples that are not numbers', async () => {
    const planes = [Float32Array.of(0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e30, -0.5)];
    const { samples } = await decode(fakeWave({ sampleRate: RATE, isFloat: true, bits: 32, planes }));
    expect([...samples]).toEqual([0.5, 0, 0, 0, -0.5]);
  });

  it('gives the samples that are there if the WAV is cut off', async () => {
    const whole = fakeWave({ sampleRate: RATE, isFloat: true, bits: 32, planes: [sound] });
    const { samples } = await decode(whole.slice(0, whole.length - 4000));
    expect(samples).toEqual(sound.slice(0, sound.length - 1000));
  });
});

describe('A recording that the browser cannot decode as a stream', () => {
  const text = new TextEncoder().encode('This is a text about a bird. '.repeat(40));

  it('is decoded whole by the browser’s audio decoder', async () => {
    const asked: number[] = [];
    vi.stubGlobal(
      'OfflineAudioContext',
      class {
        constructor({ sampleRate }: { sampleRate: number }) {
          asked.push(sampleRate);
        }
        async decodeAudioData(bytes: ArrayBuffer) {
          const planes = [Float32Array.of(0.25, -0.25), Float32Array.of(0.25, 0.75)];
          const getChannelData = (channel: number) => planes[channel];
          return { length: 2, numberOfChannels: 2, duration: bytes.byteLength, getChannelData };
        }
      },
    );
    const decoded = await decode(text);
    expect(asked).toEqual([RATE]);
    expect(decoded).toMatchObject({ container: 'unknown', channels: 2, expectedSeconds: text.length });
    expect([...decoded.samples]).toEqual([0.25, 0.25]);
  });

  it('fails to decode if the browser’s audio decoder cannot read it either', async () => {
    await expect(decodeFile(new Blob([text]))).rejects.toMatchObject({ name: 'Undecodable' });
  });

  it('is not read whole if it may be longer than ten minutes', async () => {
    const asked = vi.fn();
    vi.stubGlobal('OfflineAudioContext', asked);
    await expect(decodeFile(new Blob([new Uint8Array(11 * 1024 * 1024)]))).rejects.toMatchObject({ name: 'Undecodable' });
    expect(asked).not.toHaveBeenCalled();
  });
});

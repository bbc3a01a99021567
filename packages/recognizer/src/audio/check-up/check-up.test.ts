import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clippedAt, lowPassed, noise, rumble, samplesOf, sumOf, tone, type Wave } from '../../testing/fake-sound.ts';
import { createSoundCheckUp, type SoundFinding } from './check-up.ts';

const RATE = 48_000;

function findingsIn(samples: Float32Array, sampleRate = RATE): readonly SoundFinding[] {
  const checkUp = createSoundCheckUp({ sampleRate, channels: 1 });
  checkUp.pushChannels(samples);
  checkUp.pushMono(samples);
  return checkUp.end();
}

const check = (wave: Wave, seconds = 6): readonly SoundFinding[] => findingsIn(samplesOf(wave, seconds, RATE));
const codesOf = (findings: readonly SoundFinding[]): readonly string[] => findings.map(({ code }) => code);

/** A call every half second that rises from 3 to 5 kHz, over the noise of a good microphone. */
function bird(amplitude: number): Wave {
  const hiss = noise(0.003);
  return (seconds) => {
    const at = seconds % 0.5;
    const loudness = at < 0.3 ? Math.sin((Math.PI * at) / 0.3) : 0;
    return amplitude * loudness * Math.sin(2 * Math.PI * (3000 + 3000 * at) * at) + hiss(seconds);
  };
}

describe('The check-up of a recording without faults', () => {
  it.each<[string, Wave]>([
    ['a bird at a good level', bird(0.3)],
    ['a bird up to full scale', bird(0.95)],
    ['loud noise', noise(0.99)],
    ['a pure tone at full scale', sumOf(tone(1000, 0.99), noise(0.005))],
    ['a low tone at full scale', sumOf(tone(300, 0.99), noise(0.005))],
  ])('finds nothing in %s', (_, wave) => {
    expect(check(wave)).toEqual([]);
  });

  it('finds nothing in a recording shorter than one measurement', () => {
    for (const seconds of [0, 0.0001, 0.02, 0.5]) expect(check(noise(0.3), seconds)).toEqual([]);
  });

  it('does not report silence, which is measured separately', () => {
    expect(check(() => 0)).toEqual([]);
  });
});

describe('Clipping in the check-up', () => {
  it.each<[number, boolean]>([
    [0.9, false],
    [1.04, false],
    [1.25, true],
    [3, true],
  ])('is reported for a tone amplified to %f of full scale: %s', (drive, isFound) => {
    const found = check(clippedAt(1, sumOf(tone(1000, drive), noise(0.005))));
    expect(codesOf(found)).toEqual(isFound ? ['CLIPPED'] : []);
    if (isFound) expect(found[0]?.share).toBeGreaterThan(0.95);
  });

  it('is found at any volume, also if the recording was turned down afterwards', () => {
    for (const volume of [1, 0.5, 0.1]) {
      const cut = clippedAt(1, bird(2));
      expect(codesOf(check((seconds) => volume * cut(seconds)))).toEqual(['CLIPPED']);
    }
  });

  const square = sumOf(...[1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21].map((overtone) => tone(50 * overtone, 1 / overtone)));
  it.each<[string, Wave]>([
    ['25 Hz', tone(25, 1)],
    ['50 Hz', tone(50, 1)],
    ['150 Hz', tone(150, 1)],
    ['50 Hz with eleven overtones in phase', square],
  ])(
    'is told from noise and overtones on the slopes of a slow tone (%s), at any level, and found in the same tone',
    (_, wave) => {
      const recorded = (level: number, drive: number, hiss: number): Wave => {
        const sound = clippedAt(
          1,
          sumOf((seconds) => drive * wave(seconds), noise(hiss)),
        );
        return (seconds) => Math.round(32_768 * level * sound(seconds)) / 32_768;
      };
      for (const level of [0.7, 0.1, 0.01]) {
        for (const hiss of [0, 0.01, 0.03]) expect(codesOf(check(recorded(level, 0.9, hiss), 2))).not.toContain('CLIPPED');
        for (const drive of [1.25, 2]) expect(codesOf(check(recorded(level, drive, 0.01), 2))).toContain('CLIPPED');
      }
    },
  );

  it('is reported if it takes up at least 1 % of the recording', () => {
    // Of 20 s in blocks of 43 ms, 0.1 s is 0.5 % and 0.4 s is 2 %.
    const loudFor = (length: number): Wave => {
      const loud = clippedAt(1, tone(1000, 2));
      const quiet = bird(0.3);
      return (seconds) => (seconds < length ? loud(seconds) : quiet(seconds));
    };
    expect(codesOf(check(loudFor(0.1), 20))).toEqual([]);
    const [found] = check(loudFor(0.4), 20);
    expect(found).toMatchObject({ code: 'CLIPPED' });
    expect(found?.share).toBeCloseTo(0.02, 2);
  });

  it('is found in one channel even if it is hidden in the mean of both', () => {
    const left = samplesOf(clippedAt(1, bird(2)), 6, RATE);
    const right = samplesOf(noise(0.9), 6, RATE);
    const interleaved = new Float32Array(2 * left.length).map((_, at) => (at % 2 === 0 ? left : right)[at >> 1] ?? 0);
    const mono = left.map((sample, at) => (sample + (right[at] ?? 0)) / 2);
    expect(codesOf(findingsIn(mono))).toEqual([]);
    const checkUp = createSoundCheckUp({ sampleRate: RATE, channels: 2 });
    checkUp.pushChannels(interleaved);
    checkUp.pushMono(mono);
    expect(codesOf(checkUp.end())).toEqual(['CLIPPED']);
  });
});

describe('The level in the check-up', () => {
  it.each<[number, boolean]>([
    [0.012, false],
    [0.009, true],
  ])('is too low if nothing is louder than a hundredth of full scale (peak %f: %s)', (peak, isFound) => {
    const found = check(sumOf(tone(3000, peak * 0.9), noise(peak * 0.1)));
    expect(found).toEqual(isFound ? [{ code: 'QUIET', share: 1, peakDecibels: -41 }] : []);
  });
});

describe('Wind in the check-up', () => {
  const windy = (rms: number): Wave => sumOf(rumble(30, rms, RATE), noise(0.003, 7));

  it.each<[string, number, boolean]>([
    ['a storm', 0.1, true],
    ['a breeze', 0.04, true],
    ['too faint', 0.008, false],
  ])('(%s, with a level of %f) is reported: %s', (_, rms, isFound) => {
    expect(codesOf(check(windy(rms)))).toEqual(isFound ? ['WIND'] : []);
  });

  it('is not reported under birds that are loud enough', () => {
    expect(codesOf(check(sumOf(rumble(30, 0.05, RATE), noise(0.08, 7))))).toEqual([]);
  });

  it('is reported if it takes up at least a quarter of the recording', () => {
    const gustFor = (length: number): Wave =>
      (() => {
        const gust = windy(0.1);
        const calm = bird(0.3);
        return (seconds) => (seconds < length ? gust(seconds) : calm(seconds));
      })();
    expect(codesOf(check(gustFor(4), 20))).toEqual([]);
    const [found] = check(gustFor(7), 20);
    expect(found).toMatchObject({ code: 'WIND' });
    expect(found?.share).toBeCloseTo(0.35, 1);
  });

  it('is distinguished from hum and from a deep voice', () => {
    expect(codesOf(check(sumOf(tone(50, 0.1), tone(100, 0.05), tone(150, 0.05), noise(0.003))))).toEqual(['HUM']);
    expect(codesOf(check(sumOf(tone(150, 0.2), noise(0.003))))).toEqual([]);
  });
});

describe('Hum in the check-up', () => {
  const hum = (hertz: number, lines: number, amplitude: number): Wave =>
    sumOf(...Array.from({ length: lines }, (_, index) => tone((index + 1) * hertz, amplitude)), noise(0.012));

  it.each<[string, Wave, number | null]>([
    ['50 Hz with harmonics', hum(50, 4, 0.02), 50],
    ['60 Hz with harmonics', hum(60, 4, 0.02), 60],
    ['mains that runs 0.2 Hz slow', hum(49.8, 4, 0.02), 50],
    ['too few lines', hum(50, 2, 0.02), null],
    ['other lines', hum(55, 4, 0.02), null],
    ['too faint', hum(50, 4, 0.0005), null],
  ])('is found only in lines at multiples of the mains frequency: %s', (_, wave, mainsHz) => {
    expect(check(wave, 8)).toEqual(mainsHz === null ? [] : [{ code: 'HUM', share: 1, mainsHz }]);
  });

  it('is not found in an engine, which has lines between the multiples of the mains frequency', () => {
    expect(codesOf(check(hum(10, 48, 0.02)))).not.toContain('HUM');
  });

  it('is not reported if it lasts only a quarter of the recording', () => {
    const lines = hum(50, 4, 0.02);
    const calm = bird(0.3);
    expect(codesOf(check((seconds) => (seconds < 3 ? lines : calm)(seconds), 12))).toEqual([]);
  });
});

describe('The band limit in the check-up', () => {
  const steady = samplesOf(noise(0.05), 3, RATE);
  /** Rounds to 16 bits, which leaves quantisation noise above the cut-off. */
  const rounded = (samples: Float32Array): Float32Array => samples.map((sample) => Math.round(sample * 32_768) / 32_768);

  it.each([3400, 4000, 7000, 8000, 9500])('is found at %i Hz', (hertz) => {
    const found = findingsIn(rounded(lowPassed(steady, hertz, RATE)));
    expect(found).toEqual([{ code: 'BAND_LIMITED', share: 1, limitHz: expect.any(Number) }]);
    const [limit] = found;
    if (limit?.code === 'BAND_LIMITED') expect(Math.abs(limit.limitHz - hertz)).toBeLessThanOrEqual(400);
  });

  it('is not reported at 11 kHz, where hardly a bird is lost', () => {
    expect(findingsIn(rounded(lowPassed(steady, 11_000, RATE)))).toEqual([]);
  });

  it('is not found where the spectrum falls gently, where a bird sings low, or where hiss reaches above it', () => {
    const hiss = samplesOf(noise(0.003, 5), 3, RATE);
    const hissing = lowPassed(steady, 8000, RATE).map((sample, at) => sample + (hiss[at] ?? 0));
    expect(findingsIn(hissing)).toEqual([]);
    expect(check(rumble(2000, 0.05, RATE))).toEqual([]);
    expect(check(sumOf(tone(2000, 0.3), noise(0.003)))).toEqual([]);
  });

  it('is found at a sampling rate of 32 kHz', () => {
    const at32 = lowPassed(samplesOf(noise(0.05), 3, 32_000), 4000, 32_000);
    const [found] = findingsIn(rounded(at32), 32_000);
    expect(found).toMatchObject({ code: 'BAND_LIMITED' });
  });
});

describe('The check-up of samples that arrive in pieces of any size', () => {
  const stereo = samplesOf(clippedAt(1, bird(2)), 8, RATE);
  const mono = samplesOf(sumOf(rumble(30, 0.1, RATE), noise(0.003)), 4, RATE);
  const listen = (nextLength: () => number): readonly SoundFinding[] => {
    const checkUp = createSoundCheckUp({ sampleRate: RATE, channels: 2 });
    for (const [whole, push] of [
      [stereo, checkUp.pushChannels],
      [mono, checkUp.pushMono],
    ] as const) {
      for (let from = 0; from < whole.length; ) {
        const part = whole.subarray(from, from + nextLength());
        push(part);
        from += part.length;
      }
    }
    return checkUp.end();
  };

  it('has the same findings as the check-up of all samples at once', () => {
    const whole = listen(() => stereo.length);
    expect(codesOf(whole)).toEqual(['CLIPPED', 'WIND']);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 1, maxLength: 40 }), (lengths) => {
        let at = 0;
        const next = () => lengths[at++ % lengths.length] ?? 1;
        // Chunks of only a few samples would take long.
        const least = lengths.every((length) => length < 50) ? 50 : 0;
        expect(listen(() => next() + least)).toEqual(whole);
      }),
      { numRuns: 15 },
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ClipLayout, createClipCutter } from './clips.ts';

/** Samples that hold their position, counted from 1. */
function ramp(length: number): Float32Array {
  return Float32Array.from({ length }, (_, index) => index + 1);
}

function cut(samples: Float32Array, layout: ClipLayout, chunkSize = samples.length): Float32Array[] {
  const cutter = createClipCutter(layout);
  const clip = new Float32Array(layout.clipSamples);
  const clips: Float32Array[] = [];
  const take = (): void => {
    while (cutter.next(clip)) clips.push(clip.slice());
  };
  for (let from = 0; from < samples.length; from += chunkSize) {
    cutter.push(samples.subarray(from, from + chunkSize));
    take();
  }
  cutter.end();
  take();
  return clips;
}

const layouts = fc.integer({ min: 1, max: 40 }).chain((clipSamples) =>
  fc.record({
    clipSamples: fc.constant(clipSamples),
    stepSamples: fc.integer({ min: 1, max: clipSamples }),
    minTailSamples: fc.integer({ min: 0, max: clipSamples }),
  }),
);

// 3 s, 1.5 s and 1 s at ten samples a second.
const birdnet = { clipSamples: 30, stepSamples: 15, minTailSamples: 10 };

describe('The clips of a recording', () => {
  it('are the same in whatever pieces the samples arrive', () => {
    fc.assert(
      fc.property(layouts, fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 90 }), (layout, length, chunkSize) => {
        expect(cut(ramp(length), layout, chunkSize)).toEqual(cut(ramp(length), layout));
      }),
    );
  });

  it('cover it at every clip step except for too short a tail, and are padded with zeros', () => {
    fc.assert(
      fc.property(layouts, fc.integer({ min: 1, max: 300 }), (layout, length) => {
        const clips = cut(ramp(length), layout);
        clips.forEach((clip, index) => {
          const expected = Float32Array.from({ length: layout.clipSamples }, (_, offset) => {
            const position = index * layout.stepSamples + offset;
            return position < length ? position + 1 : 0;
          });
          expect(clip).toEqual(expected);
        });
        const heard = Math.min(length, (clips.length - 1) * layout.stepSamples + layout.clipSamples);
        // Less than the shortest tail is left out, and nothing if that is at most one sample.
        expect(length - heard).toBeLessThan(Math.max(layout.minTailSamples, 1));
      }),
    );
  });

  it.each([
    { seconds: 0.1, clips: 1 },
    { seconds: 2.9, clips: 1 },
    { seconds: 3, clips: 2 },
    { seconds: 4.4, clips: 2 },
    { seconds: 4.5, clips: 3 },
    { seconds: 10, clips: 6 },
    { seconds: 30, clips: 20 },
  ])('number $clips if it is $seconds s long (clips of 3 s, clip step 1.5 s)', ({ seconds, clips }) => {
    expect(cut(ramp(Math.round(seconds * 10)), birdnet)).toHaveLength(clips);
  });

  it('include a last clip with only one second of the recording if clips do not overlap', () => {
    const layout = { ...birdnet, stepSamples: 30 };
    expect(cut(ramp(39), layout)).toHaveLength(1);
    expect(cut(ramp(40), layout)).toHaveLength(2);
  });

  it('are none if the recording has no samples', () => {
    expect(cut(ramp(0), birdnet)).toEqual([]);
  });

  it('are cut from a buffer of at most two clips, however long the recording is', () => {
    const cutter = createClipCutter(birdnet);
    const target = new Float32Array(30);
    let clips = 0;
    for (let turn = 0; turn < 100; turn++) {
      cutter.push(ramp(30));
      while (cutter.next(target)) clips += 1;
    }
    expect(cutter.sampleCount).toBe(3000);
    expect(clips).toBe(199);
  });

  it('cannot be cut with a clip step longer than a clip', () => {
    expect(() => createClipCutter({ ...birdnet, stepSamples: 31 })).toThrow('a clip step of 31 samples; 1 to 30 work');
    expect(() => createClipCutter({ ...birdnet, stepSamples: 0 })).toThrow(RangeError);
  });
});

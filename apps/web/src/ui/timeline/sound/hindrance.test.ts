import { describe, expect, it } from 'vitest';
import { canBeHeld } from '../../../platform/decoding/can-be-held.ts';
import { fakePlayer } from '../../../testing/fake-player.ts';
import { lookAt } from './hindrance.ts';

const recording = (sizeBytes: number) => {
  const blob = new Blob(['a sound']);
  Object.defineProperty(blob, 'size', { value: sizeBytes });
  return blob;
};

describe('The reason why a browser cannot draw a recording on the timeline', () => {
  it('is that the browser’s player cannot read the recording', async () => {
    fakePlayer('error');
    expect(await lookAt(recording(1000))).toEqual({ hindrance: 'undecodable', durationSeconds: null });
  });

  it('is that the recording is too large, or longer than ten minutes', () => {
    expect(canBeHeld(100 * 1024 * 1024, 600)).toBe(true);
    expect(canBeHeld(100 * 1024 * 1024 + 1, 10)).toBe(false);
    expect(canBeHeld(1000, 600.1)).toBe(false);
  });

  it.each([
    [600, null],
    [601, 'tooLong'],
  ])('is, when the player states a duration of %s seconds, %j (null: no reason)', async (seconds, hindrance) => {
    fakePlayer('loadedmetadata', seconds);
    expect(await lookAt(recording(1_000_000))).toEqual({ hindrance, durationSeconds: seconds });
  });

  it('is also that a large recording states no duration', async () => {
    fakePlayer('loadedmetadata', Number.POSITIVE_INFINITY);
    expect(await lookAt(recording(9_000_000))).toEqual({ hindrance: null, durationSeconds: null });
    expect(await lookAt(recording(11_000_000))).toEqual({ hindrance: 'tooLong', durationSeconds: null });
  });
});

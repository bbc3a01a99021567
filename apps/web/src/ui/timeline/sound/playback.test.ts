import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createPlayback } from './playback.ts';
import { createSoundClock } from './sound-clock.ts';

/** An audio element that obeys calls and fires events, without sound. */
function fakeAudio() {
  const audio = document.createElement('audio');
  let paused = true;
  Object.defineProperties(audio, {
    paused: { get: () => paused },
    duration: { value: 8 },
    currentTime: { value: 0, writable: true },
    error: { value: null, writable: true },
  });
  audio.play = async () => {
    paused = false;
    audio.dispatchEvent(new Event('play'));
  };
  audio.pause = () => {
    if (paused) return;
    paused = true;
    audio.dispatchEvent(new Event('pause'));
  };
  return audio;
}

const frames: (() => void)[] = [];
const nextFrame = () => {
  for (const frame of frames.splice(0)) frame();
};

beforeEach(() => {
  frames.length = 0;
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame));
  vi.stubGlobal('cancelAnimationFrame', () => {
    frames.length = 0;
  });
});

describe('The playback of a recording', () => {
  it('reports the position on every frame while it plays, and stops when it pauses', () => {
    const audio = fakeAudio();
    const playback = createPlayback(audio);
    const heard: number[] = [];
    playback.onPosition((seconds) => heard.push(seconds));
    playback.toggle();
    expect(playback.status.snapshot()).toBe('playing');
    for (const seconds of [0.016, 0.033]) {
      audio.currentTime = seconds;
      nextFrame();
    }
    expect(heard).toEqual([0.016, 0.033]);
    playback.toggle();
    nextFrame();
    nextFrame();
    expect(playback.status.snapshot()).toBe('paused');
    expect(frames).toHaveLength(0);
  });

  it('plays one detection and stops at its end', () => {
    const audio = fakeAudio();
    const playback = createPlayback(audio);
    playback.playPassage(3, 6);
    expect(audio.currentTime).toBe(3);
    audio.currentTime = 6.01;
    nextFrame();
    expect(audio.paused).toBe(true);
    expect(audio.currentTime).toBe(6);
  });

  it('repeats a detection while repeating is turned on, even if the sound ends with the detection', () => {
    const audio = fakeAudio();
    let isLooped = true;
    const playback = createPlayback(audio, undefined, undefined, { apply() {}, close() {}, isLooped: () => isLooped });
    playback.playPassage(5, 8);
    audio.currentTime = 8.01;
    nextFrame();
    expect([audio.paused, audio.currentTime]).toEqual([false, 5]);
    audio.currentTime = 7.99;
    audio.pause();
    audio.dispatchEvent(new Event('ended'));
    expect([audio.paused, audio.currentTime]).toEqual([false, 5]);
    isLooped = false;
    audio.currentTime = 8.01;
    nextFrame();
    expect([audio.paused, audio.currentTime]).toEqual([true, 8]);
  });

  it('plays on beyond a detection once the playhead is moved', () => {
    const audio = fakeAudio();
    const playback = createPlayback(audio);
    playback.playPassage(3, 6);
    playback.seek(5);
    audio.currentTime = 6.5;
    nextFrame();
    expect(audio.paused).toBe(false);
  });

  it('never seeks outside the recording', () => {
    const audio = fakeAudio();
    const playback = createPlayback(audio);
    playback.seek(-3);
    expect(audio.currentTime).toBe(0);
    playback.seek(30);
    expect(audio.currentTime).toBe(8);
  });

  it('says when the browser cannot play the file', () => {
    const audio = fakeAudio();
    const playback = createPlayback(audio);
    const heard = vi.fn();
    playback.status.subscribe(heard);
    audio.dispatchEvent(new Event('error'));
    expect(playback.status.snapshot()).toBe('unplayable');
    expect(heard).toHaveBeenCalledTimes(1);
  });

  it('continues from a new address when the present one no longer works', async () => {
    const audio = fakeAudio();
    const playback = createPlayback(audio, async () => 'https://example.org/fresh');
    playback.playPassage(3, 6);
    audio.currentTime = 4.5;
    audio.pause = () => {}; // a failure pauses without an event
    audio.dispatchEvent(new Event('error'));
    await Promise.resolve();
    await Promise.resolve();
    expect(audio.src).toBe('https://example.org/fresh');
    expect(audio.currentTime).toBe(4.5);
    expect(playback.status.snapshot()).toBe('playing');
  });

  it('fails when two new addresses in a row do not work, and counts anew once an address has worked', async () => {
    const audio = fakeAudio();
    const fresh = vi.fn(async () => 'https://example.org/fresh');
    const playback = createPlayback(audio, fresh);
    const fail = async () => {
      audio.dispatchEvent(new Event('error'));
      for (let turn = 0; turn < 4; turn += 1) await Promise.resolve();
    };
    await fail();
    await fail();
    expect(playback.status.snapshot()).toBe('paused');
    playback.toggle();
    audio.currentTime = 2;
    nextFrame();
    await fail();
    await fail();
    expect(fresh).toHaveBeenCalledTimes(4);
    expect(playback.status.snapshot()).toBe('playing');
    await fail();
    expect(fresh).toHaveBeenCalledTimes(4);
    expect(playback.status.snapshot()).toBe('unplayable');
  });

  it('fails when the server gives no new address', async () => {
    const playback = createPlayback(fakeAudio(), () => Promise.reject(new Error('gone')));
    const audio = fakeAudio();
    const other = createPlayback(audio, () => Promise.reject(new Error('gone')));
    audio.dispatchEvent(new Event('error'));
    for (let turn = 0; turn < 4; turn += 1) await Promise.resolve();
    expect([playback.status.snapshot(), other.status.snapshot()]).toEqual(['paused', 'unplayable']);
  });

  it('converts times of the recording to times of the audio when only excerpts are kept', () => {
    const audio = fakeAudio();
    const clock = createSoundClock([
      { startSeconds: 10, endSeconds: 14, offsetSeconds: 0 },
      { startSeconds: 60, endSeconds: 64, offsetSeconds: 4 },
    ]);
    const playback = createPlayback(audio, undefined, clock);
    playback.playPassage(61, 63);
    expect(audio.currentTime).toBe(5);
    expect(playback.positionSeconds()).toBe(61);
    audio.currentTime = 7.01;
    nextFrame();
    expect([audio.paused, audio.currentTime]).toEqual([true, 7]);
  });
});

import { vi } from 'vitest';

/** A browser whose player fires this event when it is given a recording. */
export function fakePlayer(event: 'loadedmetadata' | 'error', duration = Number.NaN) {
  const createElement = document.createElement.bind(document);
  vi.spyOn(document, 'createElement').mockImplementation((name: string) => {
    const audio = createElement(name);
    if (name !== 'audio') return audio;
    Object.defineProperties(audio, { duration: { value: duration }, src: { set: () => audio.dispatchEvent(new Event(event)) } });
    return audio;
  });
}

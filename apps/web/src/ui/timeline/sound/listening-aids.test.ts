import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { preferences } from '../../../platform/storage/preferences.ts';
import { attachListeningAids, readAids } from './listening-aids.ts';

/** Where the sound of each player goes, node by node; filled by a stand-in of Web Audio, which only remembers connections. */
let nodes: FakeNode[];
class FakeNode {
  readonly name: string;
  to: FakeNode | null = null;
  constructor(name: string) {
    this.name = name;
    nodes.push(this);
  }
  connect(to: FakeNode) {
    this.to = to;
    return to;
  }
  disconnect() {
    this.to = null;
  }
}
const loudspeaker = { name: 'loudspeaker', to: null } as FakeNode;
const path = (): string[] => {
  const names: string[] = [];
  for (let node = nodes.find(({ name }) => name === 'player') ?? null; node !== null; node = node.to) names.push(node.name);
  return names;
};
const resume = vi.fn();

beforeEach(() => {
  nodes = [];
  vi.stubGlobal(
    'AudioContext',
    class {
      destination = loudspeaker;
      createMediaElementSource = () => Object.assign(new FakeNode('player'), { context: this });
      resume = resume;
      suspend() {}
    },
  );
  const node = (kind: string) =>
    class extends FakeNode {
      constructor(_: unknown, { frequency, gain }: { readonly frequency?: number; readonly gain?: number }) {
        super([kind, frequency, gain?.toFixed(1)].filter((part) => part !== undefined).join(' '));
      }
    };
  vi.stubGlobal('BiquadFilterNode', node('high-pass'));
  vi.stubGlobal('GainNode', node('gain'));
  vi.stubGlobal('DynamicsCompressorNode', node('limiter'));
});
const off = readAids(null);
const choose = (part: Partial<typeof off>) => preferences.change({ listeningAids: { ...off, ...part } });
afterEach(() => choose({}));

it('Listening aids read from storage are those that the page offers; unknown values turn them off', () => {
  const chosen = { highPassHz: 1000, gainDecibels: 24, isHalfSpeed: true, isLooped: true };
  expect(readAids(chosen)).toEqual(chosen);
  expect(readAids({ highPassHz: 700, gainDecibels: 60, isHalfSpeed: 1, isLooped: 'yes' })).toEqual(off);
});

/** A player that plays. */
function startPlayer() {
  const audio = Object.defineProperty(document.createElement('audio'), 'paused', { value: false });
  const aids = attachListeningAids(audio);
  aids.apply();
  return { audio, aids };
}

it('Listening aids do not change the sound of the player while none is chosen', () => {
  const { audio, aids } = startPlayer();
  expect(nodes).toEqual([]);
  expect(audio.playbackRate).toBe(1);
  aids.close();
});

it('Listening aids lead the sound through a steep high-pass filter, a gain and a limiter, as far as they are chosen', () => {
  choose({ highPassHz: 1000, gainDecibels: 12 });
  const { aids } = startPlayer();
  expect(path()).toEqual(['player', 'high-pass 1000', 'high-pass 1000', 'gain 4.0', 'limiter', 'loudspeaker']);
  expect(resume).toHaveBeenCalled();
  choose({ gainDecibels: 24 });
  expect(path()).toEqual(['player', 'gain 15.8', 'limiter', 'loudspeaker']);
  choose({});
  expect(path()).toEqual(['player', 'loudspeaker']);
  aids.close();
});

it('Listening aids play at half speed with the same pitch, and so does what the player loads next', () => {
  choose({ isHalfSpeed: true });
  const { audio, aids } = startPlayer();
  expect([audio.playbackRate, audio.defaultPlaybackRate, audio.preservesPitch]).toEqual([0.5, 0.5, true]);
  aids.close();
});

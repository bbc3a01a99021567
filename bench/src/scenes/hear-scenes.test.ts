import { expect, it } from 'vitest';
import type { Scene } from './draw-scenes.ts';
import { stateIn } from './hear-scenes.ts';

const [robin, wren, tit, rook, crow] = [1, 2, 3, 4, 5];
const bird = (label: number, file: string) => ({
  ...{ label, file, heard: [], decibels: 0, lowPassHz: null, echoSeconds: null },
});
const scene: Scene = {
  ...{ name: 'made', maker: 'excerpts', place: 0, seconds: 60, noise: null, peakDecibels: 0 },
  birds: [bird(robin, 'robin.opus'), bird(wren, 'wren.opus')],
  background: { files: ['farm.opus'], decibels: -20 },
};
const alsoThere = new Map([
  ['robin.opus', [robin, tit]],
  ['farm.opus', [rook]],
  ['elsewhere.opus', [crow]],
]);

it.each([
  ['right for a bird that can be heard', robin, 'right'],
  ['unknown for one that was put in but can not be heard', wren, 'unknown'],
  ['unknown for one that the recording of another may hold', tit, 'unknown'],
  ['wrong for one that the model hears in the background', rook, 'wrong'],
  ['wrong for any other', crow, 'wrong'],
] as const)('Naming a bird in a test scene counts as %s', (_, label, state) => {
  expect(stateIn(scene.birds, new Set([robin]), alsoThere, label)).toBe(state);
});

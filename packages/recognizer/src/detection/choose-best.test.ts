import { expect, it } from 'vitest';
import { chooseBest, createChoice } from './choose-best.ts';

interface Heard {
  readonly species: string;
  readonly startSeconds: number;
  readonly score: number;
}

const weigh = ({ species: key, startSeconds, score }: Heard) => ({ key, startSeconds, score });
const heard = (species: string, startSeconds: number, score: number): Heard => ({ species, startSeconds, score });

it('Limiting detections keeps all detections in their order if there are few enough', () => {
  const all = [heard('a', 0, 0.1), heard('b', 1, 0.9), heard('a', 70, 0.5)];
  const choice = createChoice(3, weigh);
  for (const each of all) choice.add(each);
  expect(choice.chosen()).toEqual(all);
  expect(choice.leftOut).toBe(0);
});

it('Limiting detections gives the second best detection of a species in a minute half the weight of its score', () => {
  const loud = Array.from({ length: 50 }, (_, index) => heard('loud', 2 * index, 0.9 - index / 1000));
  const calls = [heard('once', 30, 0.5), heard('twice', 61, 0.48), heard('twice', 100, 0.47)];
  const all = [...loud, ...calls].toSorted((one, other) => one.startSeconds - other.startSeconds);
  // Weights of 0.9, 0.5, 0.87 and 0.48; the second loud one counts 0.45.
  expect(chooseBest(all, 4, weigh)).toEqual([loud[0], calls[0], loud[30], calls[1]]);
});

it('Limiting detections keeps no more in memory than it needs, and chooses the same from a stream as from a list', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => heard(`s${index % 97}`, index / 10, ((index * 7919) % 1000) / 1000));
  const choice = createChoice(100, weigh);
  for (const each of many) choice.add(each);
  const chosen = choice.chosen();
  expect(chosen).toHaveLength(100);
  expect(choice.leftOut).toBe(19_900);
  // The definition: all are weighed, then sorted once.
  const ranks = new Map<string, number>();
  const weighed = many
    .map((item, position) => ({ item, position, stretch: Math.floor(item.startSeconds / 60) }))
    .toSorted((one, other) => one.stretch - other.stretch || other.item.score - one.item.score || one.position - other.position)
    .map(({ item, position, stretch }) => {
      const rank = (ranks.get(`${stretch} ${item.species}`) ?? 0) + 1;
      ranks.set(`${stretch} ${item.species}`, rank);
      return { item, position, weight: item.score / rank };
    })
    .toSorted((one, other) => other.weight - one.weight || one.position - other.position)
    .slice(0, 100)
    .toSorted((one, other) => one.position - other.position);
  expect(chosen).toEqual(weighed.map(({ item }) => item));
});

import type { OccurrenceWord } from '@chiffchaff/contract';
import { readModelFolder } from '@chiffchaff/recognizer/node';
import { afterAll, describe, expect, it } from 'vitest';
import type { Analyzer } from './analyzer.ts';
import { occurrenceWordOf } from './answer/occurrence-word.ts';
import { SELDOM_REPORTED } from './answer/seldom-reported.ts';
import { openAnalyzer } from './open-analyzer.ts';
import { ffmpegPath, modelFolderPath } from './testing/installed.ts';

describe('The words for occurrence, with the real model,', () => {
  let opened: Promise<Analyzer> | undefined;
  afterAll(async () => (await opened)?.close());

  async function wordsAt(place: {
    latitude: number;
    longitude: number;
    week: number;
  }): Promise<(name: string) => OccurrenceWord | null> {
    opened ??= openAnalyzer({ modelFolderPath, ffmpegPath, workers: 0 });
    const { occurrence, surroundings } = await (await opened).ask(place);
    const { labels } = (await readModelFolder(modelFolderPath)).species;
    return (name) => {
      const label = labels.findIndex(({ scientificName }) => scientificName === name);
      const at = (values: Float32Array | null | undefined): number => values?.[label] ?? expect.fail(`${name} has no occurrence`);
      return occurrenceWordOf(name, {
        here: at(occurrence),
        nearby: at(surroundings?.nearby),
        wholeYear: at(surroundings?.wholeYear),
      });
    };
  }

  it.each([17, 18, 19, 20])('differ between common and rare birds near Cambridge in week %i, in May', async (week) => {
    const wordOf = await wordsAt({ latitude: 52.2, longitude: 0.12, week });
    for (const name of ['Strix aluco', 'Tyto alba', 'Caprimulgus europaeus', 'Scolopax rusticola']) {
      expect([name, wordOf(name)]).toEqual([name, 'seldomReported']);
    }
    expect(wordOf('Dryocopus martius')).toBe('notKnown');
    expect(wordOf('Erithacus rubecula')).toBe('expected');
  });

  it('differ between common and rare birds in Hokkaido in January', async () => {
    const wordOf = await wordsAt({ latitude: 43.06, longitude: 141.35, week: 2 });
    expect(wordOf('Dryocopus martius')).toBe('expected');
    // Lives on the mainland of Asia only.
    expect(wordOf('Parus major')).toBe('notKnown');
    expect(wordOf('Strix aluco')).toBe('notKnown');
  });

  it('use a list of seldom reported genera, all of which the model knows', async () => {
    const { labels } = (await readModelFolder(modelFolderPath)).species;
    const genera = new Set(labels.map(({ scientificName }) => scientificName.split(' ')[0]));
    expect([...SELDOM_REPORTED].filter((genus) => !genera.has(genus))).toEqual([]);
  });
});

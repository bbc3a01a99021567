import { type NamedBird, regionsInWords } from '@chiffchaff/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { speak, spoken } from '../../../languages/i18n.ts';
import en from '../../../languages/later/en.json';
import { fakeNamedBird, fakePrediction } from '../../../testing/fake-data.ts';
import { verdictSentence } from './wording.ts';

const crombec = fakeNamedBird({ commonName: 'Kapsylvietta', confidenceWord: 'likely', regions: ['018'] });
const killdeer: NamedBird = { ...crombec, rank: 2, commonName: 'Keilschwanz-Regenpfeifer', regions: ['003', '005'] };

function say(named: readonly NamedBird[], verdict: object = {}): string {
  const prediction = fakePrediction({});
  return verdictSentence(
    {
      ...prediction,
      candidates: [...named],
      verdict: { ...prediction.verdict, kind: 'identified', named: [...named], ...verdict },
    },
    spoken.snapshot().t,
    'de',
  );
}

describe('The verdict in German in a list or copied text', () => {
  beforeEach(() => speak('de'));

  it('says where a bird lives if no place was stated', () => {
    expect(say([crombec])).toBe('Wahrscheinlich: Kapsylvietta. Verbreitung: Südliches Afrika.');
    expect(say([{ ...crombec, occurrence: 0.3 }])).toBe('Wahrscheinlich: Kapsylvietta.');
  });

  it('asks whether a bird that does not live at the assumed place was recorded where it lives', () => {
    const elsewhere = { ...crombec, assumed: 'elsewhere', occurrence: 0.0001 } as const;
    expect(say([elsewhere])).toBe('Wahrscheinlich: Kapsylvietta. Verbreitung: Südliches Afrika. Dort aufgenommen?');
  });

  it('names the region of each of several birds, and of each of two tied birds', () => {
    expect(say([crombec, killdeer], { kind: 'several' })).toBe(
      'Mehrere Vögel: Kapsylvietta (Südliches Afrika) und Keilschwanz-Regenpfeifer (Nordamerika und Südamerika).',
    );
    expect(say([crombec, killdeer], { kind: 'unsure', tied: true })).toBe(
      'Kapsylvietta oder Keilschwanz-Regenpfeifer: nicht zu unterscheiden. Verbreitung von Kapsylvietta: Südliches Afrika. ' +
        'Verbreitung von Keilschwanz-Regenpfeifer: Nordamerika und Südamerika.',
    );
    expect(say([crombec, killdeer], { genus: 'Sylvietta' })).toBe(
      'Sylvietta: Kapsylvietta oder Keilschwanz-Regenpfeifer. Verbreitung von Kapsylvietta: Südliches Afrika.',
    );
  });

  it('says that a bird is seldom reported at the place', () => {
    expect(say([{ ...crombec, occurrence: 0.004, unusualHere: true }])).toBe(
      'Wahrscheinlich: Kapsylvietta (hier selten gemeldet).',
    );
  });
});

it('Regions have the same English names on the page as in the sentences of the server', () => {
  for (const [key, name] of Object.entries(en.area)) expect(name, key).toBe(regionsInWords([key.slice(1)], 'en'));
});

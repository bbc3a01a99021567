import { expect, it } from 'vitest';
import { makePrediction, nowhere } from '../../testing/fake-analyzer.ts';
import { clock, createReadableTable } from './readable-table.ts';

const answered = (shownAs: string, prediction = makePrediction()) =>
  ({ kind: 'answered', shownAs, path: `/${shownAs}`, prediction, circumstances: nowhere }) as const;

it('The result on the terminal begins with the verdict, then lists the candidates', () => {
  expect(createReadableTable({}).one(answered('morning.wav'))).toBe(
    'morning.wav · 0:31\nVery likely a Common Chiffchaff.\n  96 %  Common Chiffchaff  Phylloscopus collybita  0:03–0:06\n',
  );
});

it.each([
  ['counts birds of which none is certain', {}, 'Perhaps 2 birds, none of them certain.'],
  ['names two birds that are too close to call', { tied: true }, 'A or B: too close to call.'],
  [
    'says of several birds that another is not expected here',
    { notExpectedHere: makePrediction().candidates[0] ?? null },
    'A or B',
  ],
] as const)('The result on the terminal %s', (_what, more, sentence) => {
  const { verdict } = makePrediction();
  const [bird] = verdict.named;
  if (!bird) throw new Error('no bird');
  const named = [1, 2].map((rank) => ({ ...bird, rank, confidence: 0.6, confidenceWord: 'perhaps' as const }));
  const unsure = { ...verdict, kind: 'unsure' as const, sentence: sentence.replace(/^Perhaps.*/, 'Perhaps a Marsh Tit.'), named };
  const text = createReadableTable({}).one(answered('a', makePrediction({ verdict: { ...unsure, ...more } })));
  expect(text.split('\n')[1]).toBe(sentence);
});

it('The result on the terminal aligns its columns when names are wide', () => {
  const [bird] = makePrediction().candidates;
  if (!bird) throw new Error('no candidate');
  const candidates = [
    { ...bird, commonName: 'チフチャフ' },
    { ...bird, commonName: 'Zilpzalp', rank: 2 },
  ];
  const [, , first, second] = createReadableTable({})
    .one(answered('a', makePrediction({ candidates })))
    .split('\n');
  // Five double-width characters take ten columns; Zilpzalp takes eight.
  expect(first).toContain('チフチャフ  Phylloscopus');
  expect(second).toContain('Zilpzalp    Phylloscopus');
});

it.each([
  ['soundsAlike', 'Also sounds like Willow Warbler (Phylloscopus trochilus).'],
  ['confusedInTests', 'Often confused with Willow Warbler (Phylloscopus trochilus).'],
] as const)('The result on the terminal names the species with which a bird is confused: %s', (reason, line) => {
  const { verdict } = makePrediction();
  const other = { scientificName: 'Phylloscopus trochilus', commonName: 'Willow Warbler', occurrence: null };
  const prediction = makePrediction({ verdict: { ...verdict, lookAlike: { ...other, reason } } });
  expect(createReadableTable({}).one(answered('a', prediction)).split('\n')).toContain(`  ${line}`);
});

it('The result on the terminal lists birds hidden by location, other sounds and the check-up', () => {
  const { candidates } = makePrediction();
  const text = createReadableTable({}).one(
    answered(
      'a',
      makePrediction({
        hiddenByLocation: candidates,
        otherSounds: [{ label: 'Engine', score: 0.7, startSeconds: 0, endSeconds: 3 }],
        checkUp: [{ code: 'ENDED_EARLY', share: 1 }],
      }),
    ),
  );
  expect(text).toContain('Not expected at that place and time: Common Chiffchaff 96 %');
  expect(text).toContain('Other sounds: Engine');
  expect(text).toContain('ends earlier than it says');
});

it('The result on the terminal has rows for hidden birds if requested, and no candidate below --min-confidence', () => {
  const [bird] = makePrediction().candidates;
  if (!bird) throw new Error('no candidate');
  const hidden = { ...bird, commonName: 'Northern Cardinal', confidence: 0.93 };
  const prediction = makePrediction({
    candidates: [bird, { ...bird, rank: 2, commonName: 'Willow Warbler', confidence: 0.04 }],
    hiddenByLocation: [hidden],
  });
  const text = createReadableTable({ showHidden: true, minConfidence: 0.5 }).one(answered('a', prediction));
  expect(text.split('\n').slice(2, -1)).toEqual([
    '  96 %  Common Chiffchaff  Phylloscopus collybita                                         0:03–0:06',
    '  93 %  Northern Cardinal  Phylloscopus collybita (hidden: confidence without the place)  0:03–0:06',
  ]);
});

it('The result on the terminal never contains control characters of a file name', () => {
  const table = createReadableTable({});
  const text =
    table.one(answered('a\u001b[2J\u0007\n.wav')) +
    table.one({ kind: 'failed', shownAs: '\u001b]0;x\u0007', code: 'X', message: 'm\u001b' });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those must not be there
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
});

it.each([
  [0, '0:00'],
  [67.9, '1:07'],
  [3765, '1:02:45'],
])('The result on the terminal shows %d seconds as %s', (seconds, shown) => {
  expect(clock(seconds)).toBe(shown);
});

it('The result on the terminal never shows a confidence of 100 %', () => {
  const [bird] = makePrediction().candidates;
  if (!bird) throw new Error('no candidate');
  const text = createReadableTable({}).one(answered('a', makePrediction({ candidates: [{ ...bird, confidence: 0.998 }] })));
  expect(text).toContain('> 99 %');
});

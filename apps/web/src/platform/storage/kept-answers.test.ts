import { expect, it, vi } from 'vitest';
import { fakeNamedBird, fakePrediction } from '../../testing/fake-data.ts';
import { signIn } from '../../testing/sign-in.ts';
import { createPageSession } from '../session/page-session.ts';
import { forgetAnswer, forgetAnswers, type KeptAnswer, keepAnswer } from './kept-answers.ts';
import { listKeptAnswers, readKeptAnswers } from './read-kept-answers.ts';

const answer = (id: string, fileName = 'a.wav'): KeptAnswer => ({
  state: 'done',
  prediction: fakePrediction({
    id,
    createdAt: `2026-05-${id.padStart(2, '0')}T05:12:44.120Z`,
    recording: { ...fakePrediction().recording, fileName },
  }),
  keptAudio: null,
});
const keptIds = (localId = 'u1') => readKeptAnswers(localId).map(({ prediction }) => prediction.id);

it('The results stored in a tab are the last twenty of an account, each once, newest first', () => {
  for (let day = 1; day <= 21; day += 1) keepAnswer('u1', answer(String(day)));
  keepAnswer('u1', answer('20'));
  expect(keptIds()).toEqual(Array.from({ length: 20 }, (_, index) => String(21 - index)));
  forgetAnswer('u1', '21');
  expect(keptIds()[0]).toBe('20');
});

it('The results stored in a tab are listed as the server would list them', () => {
  expect(listKeptAnswers('u1')).toBeNull();
  keepAnswer('u1', answer('1', 'garden.wav'));
  const [summary] = listKeptAnswers('u1')?.predictions ?? [];
  expect(summary).toMatchObject({ id: '1', fileName: 'garden.wav', durationSeconds: 12 });
  expect(summary?.species.map(({ commonName }) => commonName)).toEqual(['Common Chiffchaff']);
});

it('The results stored in a tab are found by parts of names, in short searches by their beginnings', () => {
  keepAnswer('u1', answer('1', 'garden.wav'));
  const found = ['chaff', 'arden collyb', 'ga', 'ar', 'wren'].map((search) => listKeptAnswers('u1', search)?.predictions.length);
  expect(found).toEqual([1, 1, 1, 0, 0]);
});

it('The results stored in a tab are listed with two tied birds as a tie, and not among the species', () => {
  const [wren, robin] = ['Eurasian Wren', 'European Robin'].map((commonName, index) =>
    fakeNamedBird({ rank: index + 1, scientificName: commonName, commonName }),
  );
  const tit = fakeNamedBird({ rank: 3, scientificName: 'Parus major', commonName: 'Great Tit', confidenceWord: 'perhaps' });
  const named = [...(wren && robin ? [{ ...wren, tiedWith: robin }] : []), tit];
  const { prediction } = answer('1');
  const verdict = { ...prediction.verdict, kind: 'unsure' as const, tied: true, named };
  keepAnswer('u1', { state: 'done', prediction: { ...prediction, verdict }, keptAudio: null });
  const [summary] = listKeptAnswers('u1')?.predictions ?? [];
  expect(summary?.verdict.tiedBirds?.map(({ commonName }) => commonName)).toEqual(['Eurasian Wren', 'European Robin']);
  expect(summary?.species.map(({ commonName }) => commonName)).toEqual(['Great Tit']);
});

it('The results stored in a tab are removed, oldest first, when there is no space for a newer one', () => {
  for (const id of ['1', '2', '3']) keepAnswer('u1', answer(id, 'x'.repeat(800_000)));
  expect(keptIds()).toEqual(['3', '2']);
  keepAnswer('u1', answer('4', 'x'.repeat(3_000_000)));
  expect(keptIds()).toEqual([]);
});

it('The results stored in a tab exclude a result that is too large, which is converted to JSON only once', () => {
  for (let day = 1; day <= 9; day += 1) keepAnswer('u1', answer(String(day)));
  const stringify = vi.spyOn(JSON, 'stringify');
  const large = answer('10', 'x'.repeat(3_000_000));
  keepAnswer('u1', large);
  expect(stringify.mock.results.filter(({ value }) => String(value).length > 3_000_000)).toHaveLength(1);
  expect(keptIds()).toEqual([]);
});

it('The results stored in a tab are hidden from other accounts, and removed with the session', async () => {
  keepAnswer('u1', answer('1'));
  expect(keptIds('u2')).toEqual([]);
  keepAnswer('u2', answer('2'));
  expect([keptIds(), keptIds('u2')]).toEqual([[], ['2']]);
  const { session } = createPageSession();
  await signIn(session, 'u2');
  expect(keptIds('u2')).toEqual(['2']);
  session.signOut({ revoke: false });
  expect(window.sessionStorage.getItem('answers')).toBeNull();
});

it('The results stored in a tab are removed if their session ended while the tab was asleep, unless they are a visitor’s', () => {
  const open = () => createPageSession().session.start()();
  keepAnswer('u1', answer('1'));
  open();
  expect(window.sessionStorage.getItem('answers')).toBeNull();
  keepAnswer(null, answer('2'));
  open();
  expect(readKeptAnswers(null)).toHaveLength(1);
  const expires = new Date(Date.now() + 3_600_000).toISOString();
  for (const [key, value] of Object.entries({ token: 't', tokenExpiry: expires, user: 'a@example.org', userId: 'u1' }))
    window.localStorage.setItem(key, value);
  for (const localId of ['u1', 'u11']) {
    keepAnswer(localId, answer('3'));
    forgetAnswer(localId, 'another');
    open();
    expect(keptIds(localId), localId).toEqual(localId === 'u1' ? ['3'] : []);
  }
});

it('The results stored in a tab are none if their storage is damaged', () => {
  window.sessionStorage.setItem('answers', '{"localId":"u1","answers":[{"state":"done"},null]}');
  expect(keptIds()).toEqual([]);
  forgetAnswer('u1', '1');
  window.sessionStorage.setItem('answers', '{');
  expect(keptIds()).toEqual([]);
  forgetAnswers();
});

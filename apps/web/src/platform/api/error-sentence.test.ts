import { problems } from '@chiffchaff/contract';
import { afterEach, describe, expect, it } from 'vitest';
import { speak, spoken } from '../../languages/i18n.ts';
import { fakeConfig, fakeProblem } from '../../testing/fake-data.ts';
import type { ApiError } from './api-error.ts';
import { errorSentence } from './error-sentence.ts';

const problem = (code: string): ApiError => ({
  kind: 'problem',
  message: '',
  problem: fakeProblem(code),
  retryAfterSeconds: null,
});
const sentence = (error: ApiError) => errorSentence(error, spoken.snapshot().t, spoken.snapshot().language);

afterEach(() => speak('en'));

describe('The sentence that the page shows for an error', () => {
  it('is the server’s own on an English page, with its details', () => {
    for (const code of Object.keys(problems)) expect(sentence(problem(code))).toBe(`Detail of ${code}`);
  });

  it('is found by the error’s code in other languages, for every code of the catalogue', async () => {
    await speak('de');
    const sentences = Object.keys(problems).map((code) => sentence(problem(code)));
    for (const text of sentences) expect(text).toMatch(/^[A-ZÄÖÜ].*\.$/);
    expect(sentence(problem('RECORDING_EMPTY'))).toBe('In dieser Datei ist kein Ton.');
  });

  it('contains limits and the reference in other languages, too', async () => {
    const withLimits = (code: string) =>
      errorSentence(problem(code), spoken.snapshot().t, spoken.snapshot().language, fakeConfig.limits);
    expect(withLimits('RECORDING_TOO_SHORT')).toBe('Detail of RECORDING_TOO_SHORT');
    await speak('de');
    expect(withLimits('RECORDING_TOO_SHORT')).toBe('Die Aufnahme ist zu kurz. Mindestlänge: 0,5 Sekunden.');
    expect(withLimits('RECORDING_TOO_LONG')).toMatch(/ Höchstlänge: 3 Stunden\.$/);
    expect(withLimits('RECORDING_TOO_LARGE')).toMatch(/ Du kannst bis zu 2\sGB hochladen\.$/);
    expect(sentence(problem('INTERNAL'))).toMatch(/ Kennung: r-1\.$/);
    expect(sentence(problem('RECORDING_TOO_SHORT'))).toBe('Die Aufnahme ist zu kurz.');
  });

  it('is the server’s own for a code that the page does not know', async () => {
    await speak('de');
    expect(sentence(problem('NEW_CODE'))).toBe('Detail of NEW_CODE');
    expect(sentence(problem('constructor'))).toBe('Detail of constructor');
  });

  it.each([
    [{ kind: 'network', message: 'Network Error' }, 'can’t be reached'],
    [{ kind: 'aborted', message: 'Request aborted' }, 'interrupted'],
    [{ kind: 'timeout', message: 'timeout of 9 ms exceeded' }, 'took too long'],
    [{ kind: 'unexpected', message: 'odd', status: 500 }, 'doesn’t understand'],
  ] as const)('exists for the error %j', (error, words) => {
    expect(sentence(error)).toContain(words);
  });
});

import { identityErrorCodes } from '@chiffchaff/contract';
import { afterEach, expect, it } from 'vitest';
import { speak, spoken } from '../../languages/i18n.ts';
import { identitySentence } from './identity-sentence.ts';

const sentence = (message: string) => identitySentence(message, spoken.snapshot().t);

afterEach(() => speak('en'));

it.each(['en', 'de'])(
  'Every code of the identity service has a sentence that does not contain the code, in the language %s',
  async (language) => {
    await speak(language);
    for (const code of identityErrorCodes) {
      expect(sentence(code)).toMatch(/^[A-ZÄÖÜ].*[.?]$/);
      expect(sentence(code)).not.toContain(code);
    }
  },
);

it('The page’s sentence for a failure of the identity service is found by the code before " : "', () => {
  expect(sentence('WEAK_PASSWORD : Password should be at least 6 characters')).toBe(
    'Choose a password with at least 6 characters.',
  );
  expect(sentence('OPERATION_NOT_ALLOWED : This server does not send mail.')).toBe('This isn’t available on this server.');
});

it('The page’s sentence for a failure of the identity service says what is wrong with the server’s storage', () => {
  expect(sentence('STORAGE_FULL : There is not enough room on the server for this right now.')).toContain('run out of space');
  expect(sentence('STORAGE_UNAVAILABLE : The server cannot use its database right now.')).toContain('can’t use its database');
});

it('The page’s sentence for a failure of the identity service is the same for all codes of wrong credentials', () => {
  const codes = ['INVALID_LOGIN_CREDENTIALS', 'INVALID_PASSWORD', 'EMAIL_NOT_FOUND'];
  expect(new Set(codes.map(sentence))).toEqual(new Set(['The email address or the password is wrong.']));
});

it.each([
  ['Network Error', 'can’t be reached'],
  ['Request aborted', 'interrupted'],
  ['timeout of 15000 ms exceeded', 'took too long'],
  ['API key not valid. Please pass a valid API key.', 'couldn’t do this'],
  ['constructor', 'couldn’t do this'],
  ['', 'couldn’t do this'],
])(
  'The page’s sentence for a failure of the identity service covers failed requests, and any other message: %j',
  (message, words) => {
    expect(sentence(message)).toContain(words);
  },
);

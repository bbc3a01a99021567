import { describe, expect, it } from 'vitest';
import {
  checkNewPassword,
  readContinueUrl,
  readCustomClaims,
  readDisplayName,
  readEmail,
  readPhotoUrl,
  requireRecentSignIn,
} from './account-rules.ts';

const refusal = (code: string) => expect.objectContaining({ code });

describe('The check of an email address (`readEmail`)', () => {
  it.each([
    ['Ada@Example.ORG', 'ada@example.org'],
    ["o'neil+birds@mail.example.co.uk", "o'neil+birds@mail.example.co.uk"],
    ['x@xn--mller-kva.example', 'x@xn--mller-kva.example'],
  ])('accepts %s', (text, expected) => expect(readEmail(text)).toBe(expected));

  it.each([
    '',
    'x',
    'x@y',
    '@example.org',
    'a b@example.org',
    'a@b@example.org',
    'a@-b.org',
    'a@example..org',
    `${'a'.repeat(65)}@example.org`,
  ])('refuses %j', (text) => expect(() => readEmail(text)).toThrow(refusal('INVALID_EMAIL')));

  it.each([
    'a@example.org\r\nBcc: b@example.org',
    'a@example.org\n',
    'a\0@example.org',
    "a'; DROP TABLE accounts;--@example.org",
  ])('refuses line ends and other characters that could inject text: %j', (text) =>
    expect(() => readEmail(text)).toThrow(refusal('INVALID_EMAIL')),
  );

  it('refuses more than 320 characters', () => {
    expect(() => readEmail(`a@${'b.'.repeat(200)}org`)).toThrow(refusal('INVALID_EMAIL'));
  });
});

describe('The check of a new password', () => {
  it('accepts 6 to 4096 characters, including spaces', () => {
    expect(() => checkNewPassword('      ')).not.toThrow();
    expect(() => checkNewPassword('x'.repeat(4096))).not.toThrow();
    expect(() => checkNewPassword('12345')).toThrow('WEAK_PASSWORD : Password should be at least 6 characters');
    expect(() => checkNewPassword('x'.repeat(4097))).toThrow(refusal('PASSWORD_DOES_NOT_MEET_REQUIREMENTS'));
  });
});

describe('The check of a display name', () => {
  it('accepts up to 100 characters, and the empty name as none', () => {
    expect(readDisplayName(' Ada ')).toBe('Ada');
    expect(readDisplayName('')).toBeNull();
    expect(() => readDisplayName('x'.repeat(101))).toThrow(refusal('INVALID_DISPLAY_NAME'));
    expect(() => readDisplayName('Ada\r\nBcc: x')).toThrow(refusal('INVALID_DISPLAY_NAME'));
  });

  it('refuses invisible characters and those that change the direction of text, and says so', () => {
    expect(() => readDisplayName('Ada \u202Egro.elpmaxe')).toThrow(
      'INVALID_DISPLAY_NAME : A display name cannot contain invisible characters',
    );
  });
});

describe('The check of the address of a profile photo', () => {
  it('accepts http and https addresses only', () => {
    expect(readPhotoUrl('https://example.org/a.png')).toBe('https://example.org/a.png');
    expect(readPhotoUrl('')).toBeNull();
    for (const text of [
      'javascript:alert(1)',
      'data:text/html,x',
      '/a.png',
      'https://example.org/a b',
      `https://e.org/${'x'.repeat(2048)}`,
    ]) {
      expect(() => readPhotoUrl(text), text).toThrow(refusal('INVALID_PHOTO_URL'));
    }
  });
});

describe('The check of the address to which an email’s link leads on', () => {
  const allowed = ['https://birds.example.org'];
  it('accepts allowed origins only', () => {
    expect(readContinueUrl('https://birds.example.org/process?a=1', allowed)).toBe('https://birds.example.org/process?a=1');
    for (const text of [
      'https://evil.example/',
      'https://birds.example.org.evil.example/',
      'http://birds.example.org/',
      'https://birds.example.org:444/',
      'https:evil.example',
      'https://evil.example\\@birds.example.org/',
    ]) {
      expect(() => readContinueUrl(text, allowed), text).toThrow(refusal('UNAUTHORIZED_DOMAIN'));
    }
    for (const text of [
      '/process',
      '//evil.example',
      'javascript:alert(1)',
      'https://birds.example.org@evil.example/',
      'https://a:b@birds.example.org/',
      '',
    ]) {
      expect(() => readContinueUrl(text, allowed), text).toThrow(refusal('INVALID_CONTINUE_URI'));
    }
  });
});

describe('The check of the custom claims that an operator adds to ID tokens', () => {
  it('accepts a small object without names that tokens already use', () => {
    expect(readCustomClaims('{"plan": "club"}')).toBe('{"plan":"club"}');
    expect(readCustomClaims('{}')).toBeNull();
    expect(() => readCustomClaims('[]')).toThrow(refusal('INVALID_CLAIMS'));
    expect(() => readCustomClaims('{')).toThrow(refusal('INVALID_CLAIMS'));
    expect(() => readCustomClaims('{"sub":"x"}')).toThrow(refusal('FORBIDDEN_CLAIM'));
    expect(() => readCustomClaims(JSON.stringify({ a: 'x'.repeat(1000) }))).toThrow(refusal('CLAIMS_TOO_LARGE'));
  });
});

describe('The check for a recent sign-in', () => {
  it('accepts a sign-in for five minutes after it', () => {
    expect(() => requireRecentSignIn(1000, 1_300_000)).not.toThrow();
    expect(() => requireRecentSignIn(1000, 1_301_000)).toThrow(refusal('CREDENTIAL_TOO_OLD_LOGIN_AGAIN'));
  });
});

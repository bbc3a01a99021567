import { expect, it } from 'vitest';
import { languageName, languageTag, serverLanguage } from './species-language.ts';

it('The server’s language codes are turned into language tags for the page', () => {
  expect(['de', 'en_uk', 'en_us'].map(languageTag)).toEqual(['de', 'en-GB', 'en-US']);
});

it('The server’s language code for the names of species is found from the language of the page', () => {
  const offered = ['en_us', 'en_uk', 'de'];
  expect(serverLanguage('de', offered)).toBe('de');
  expect(serverLanguage('en_uk', offered)).toBe('en_uk');
  expect(serverLanguage('en', offered)).toBe('en_us');
  expect(serverLanguage('en-GB', offered)).toBe('en_uk');
  expect(serverLanguage('en-AU', offered)).toBe('en_us');
  expect(serverLanguage('de-AT', offered)).toBe('de');
  expect(serverLanguage('fi', offered)).toBeNull();
});

it('A language of species names is called by its name in the language of the page', () => {
  expect(languageName('en_uk', 'en')).toBe('British English');
  expect(languageName('de', 'de')).toBe('Deutsch');
});

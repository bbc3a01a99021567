import { publicTermsSchema } from '@chiffchaff/contract';
import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { speak, spoken } from '../../languages/i18n.ts';
import { TERMS_VERSION } from '../../platform/session/terms-version.ts';
import { fakeConfig } from '../../testing/fake-data.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { TermsScreen, type TermsText } from './terms-screen.tsx';
import german from './text/de.json';
import english from './text/en.json';

const unset = 'to be filled in';
const opened = () => screen.findByRole('navigation', { name: 'Contents' });

afterEach(async () => {
  if (spoken.snapshot().language !== 'en') await speak('en');
});

/** Texts of each section, in order. */
const textsOf = ({ sections }: TermsText) => sections.map(({ id, body }) => ({ id, text: JSON.stringify(body) }));
const privacyOf = (text: TermsText) => textsOf(text).find(({ id }) => id === 'privacy')?.text;
const found = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);

describe('The terms of use', () => {
  it('cover every topic that the terms of a website need, each with an anchor', async () => {
    renderPage(<TermsScreen />, { at: '/toc' });
    const contents = await opened();
    const links = within(contents).getAllByRole('link');
    const anchors = links.map((link) => new URL(link.getAttribute('href') ?? '', 'http://page').hash.slice(1));
    expect(anchors).toEqual([
      ...['agreement', 'age', 'intellectual-property', 'representations', 'registration', 'prohibited', 'contributions'],
      ...['contribution-licence', 'reviews', 'mobile', 'social', 'submissions', 'third-party', 'advertisers', 'management'],
      ...['privacy', 'copyright', 'termination', 'law', 'disputes', 'disclaimer', 'liability', 'indemnification', 'user-data'],
      ...['electronic', 'rest', 'contact'],
    ]);
    for (const [index, anchor] of anchors.entries())
      expect(document.getElementById(anchor)?.textContent).toBe(links[index]?.textContent);
  });

  it('contain the values of the configuration, and no placeholder', async () => {
    renderPage(<TermsScreen />, { at: '/toc' });
    await opened();
    const text = document.body.textContent ?? '';
    for (const value of ['Made-up Woods', 'birds.example', '1 May 2026', 'Saxony', 'Chemnitz', '100 €', 'Ada Lerche', '30 days'])
      expect(text.replace('May 1, 2026', '1 May 2026')).toContain(value);
    expect(text).not.toMatch(/[{}]/);
    expect(screen.queryByText(unset)).toBeNull();
  });

  it('say that a recording can be kept for half an hour to be played, if the user chooses so', () => {
    expect(privacyOf(english)).toMatch(
      /keep all of it for half an hour so that you can listen; that is off unless you choose it/,
    );
    expect(privacyOf(german)).toMatch(
      /eine halbe Stunde lang aufzubewahren, damit Sie sie anhören können; das geschieht nur, wenn Sie es wählen/,
    );
  });

  it('say that short recordings can be kept whole', () => {
    expect(privacyOf(english)).toContain('all of it if the recording is shorter than a minute and otherwise those few seconds');
    expect(privacyOf(german)).toContain('alles, wenn die Aufnahme kürzer als eine Minute ist, und sonst diese wenigen Sekunden');
  });

  it('are a short text with the sections on age and privacy until the operator has filled in all values', async () => {
    const terms = { ...fakeConfig.terms, businessName: null, county: null };
    renderPage(<TermsScreen />, { at: '/toc#privacy', config: { ...fakeConfig, terms } });
    expect(await screen.findByText(/^This is a private test server/)).toBeTruthy();
    const headings = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
    expect(headings).toEqual(['In short', 'Age', 'Privacy Policy']);
    expect(screen.queryByText(/^Version/)).toBeNull();
    expect(document.activeElement?.id).toBe('privacy');
    const text = document.body.textContent ?? '';
    expect(text).toContain('for 30 days.');
    expect(text).not.toMatch(/[{}]|is responsible for your data/);
    expect(screen.queryByText(unset)).toBeNull();
  });

  it('contain no line for a telephone number if there is none', async () => {
    const terms = { ...fakeConfig.terms, contactPhone: null };
    renderPage(<TermsScreen />, { at: '/toc', config: { ...fakeConfig, terms } });
    await opened();
    expect(document.getElementById('contact')?.parentElement?.textContent).toMatch(/Email: /);
    expect(document.body.textContent).not.toContain('Telephone');
    expect(screen.queryByText(unset)).toBeNull();
  });

  it('have a version that includes the fingerprint of what the operator has filled in', async () => {
    renderPage(<TermsScreen />, { at: '/toc', config: { ...fakeConfig, termsFingerprint: '1a2b3c4d' } });
    await opened();
    expect(screen.getByText(`Version ${TERMS_VERSION}.1a2b3c4d`)).toBeTruthy();
  });

  it('show HTML in a value of the operator as text', async () => {
    const hostile = '<img src=x onerror="alert(1)">[press](javascript:alert(1)){state}';
    renderPage(<TermsScreen />, { at: '/toc', config: { ...fakeConfig, terms: { ...fakeConfig.terms, siteName: hostile } } });
    await opened();
    expect(screen.getByText((text) => text.includes(hostile), { selector: 'p' })).toBeTruthy();
    expect(document.querySelector('img')).toBeNull();
    expect(screen.queryByRole('link', { name: 'press' })).toBeNull();
  });

  it('scroll to the section in the address, and by the links of their contents', async () => {
    const scrolled: string[] = [];
    vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function (this: Element) {
      scrolled.push(this.id);
    });
    const { user } = renderPage(<TermsScreen />, { at: '/toc#privacy' });
    await waitFor(() => expect(document.activeElement?.id).toBe('privacy'));
    await user.click(within(await opened()).getByRole('link', { name: 'Contact' }));
    expect(document.activeElement?.id).toBe('contact');
    await user.click(within(await opened()).getByRole('link', { name: 'Contact' }));
    expect(scrolled).toEqual(['privacy', 'contact', 'contact']);
  });

  it('have the same sections, values and links in both languages', () => {
    for (const pattern of [/\{(\w+)\}/g, /\]\(([^)]+)\)/g])
      expect(textsOf(german).map(({ id, text }) => [id, found(text, pattern).toSorted()])).toEqual(
        textsOf(english).map(({ id, text }) => [id, found(text, pattern).toSorted()]),
      );
  });

  it('use every value of the configuration, and no other', () => {
    const used = new Set(textsOf(english).flatMap(({ text }) => found(text, /\{(\w+)\}/g)));
    expect([...used].toSorted()).toEqual([...Object.keys(publicTermsSchema.shape), 'retentionDays'].toSorted());
  });

  it('link only to sections and screens that exist', () => {
    const targets = new Set(textsOf(english).flatMap(({ text }) => found(text, /\]\(([^)]+)\)/g)));
    const anchors = english.sections.map(({ id }) => `#${id}`);
    expect([...targets].filter((target) => ![...anchors, '/about', '/account'].includes(target))).toEqual([]);
  });

  it('are shown in German on a German page', async () => {
    await speak('de');
    renderPage(<TermsScreen />, { at: '/toc' });
    expect(await screen.findByRole('heading', { name: 'Datenschutzerklärung' })).toBeTruthy();
  });
});

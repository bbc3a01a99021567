import { screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { fakeConfig } from '../../testing/fake-data.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { AboutScreen } from './about-screen.tsx';

it('The About page links the third-party notices with their licences', () => {
  renderPage(<AboutScreen />, { at: '/about' });
  expect(screen.getByRole('link', { name: 'third-party notices' }).getAttribute('href')).toBe('/third-party-notices.txt');
});

it.each([
  ['1a2b3c4d', 'This server runs Chiffchaff 1.2.3, commit 1a2b3c4d.'],
  [null, 'This server runs Chiffchaff 1.2.3, commit unknown.'],
])('The About page shows the version and commit of the server, or that the commit is unknown: %j', (commit, sentence) => {
  renderPage(<AboutScreen />, { at: '/about', config: { ...fakeConfig, commit } });
  expect(screen.getByText(sentence)).toBeTruthy();
});

it('The About page scrolls to the words of confidence if its address names them', async () => {
  const scrolled: string[] = [];
  vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function (this: Element) {
    scrolled.push(this.id);
  });
  renderPage(<AboutScreen />, { at: '/about#words' });
  await waitFor(() => expect(document.activeElement?.id).toBe('words'));
  expect(scrolled).toEqual(['words']);
});

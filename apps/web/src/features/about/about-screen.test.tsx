import { screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render-page.tsx';
import { AboutScreen } from './about-screen.tsx';

it('The About page links the third-party notices with their licences', () => {
  renderPage(<AboutScreen />, { at: '/about' });
  expect(screen.getByRole('link', { name: 'third-party notices' }).getAttribute('href')).toBe('/third-party-notices.txt');
});

it('The About page scrolls to the words of confidence when its address names them', async () => {
  const scrolled: string[] = [];
  vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function (this: Element) {
    scrolled.push(this.id);
  });
  renderPage(<AboutScreen />, { at: '/about#words' });
  await waitFor(() => expect(document.activeElement?.id).toBe('words'));
  expect(scrolled).toEqual(['words']);
});

import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPage } from '../../testing/render-page.tsx';
import { AboutScreen } from './about-screen.tsx';

it('links what others made and under which licences', () => {
  renderPage(<AboutScreen />, { at: '/about' });
  expect(screen.getByRole('link', { name: 'third-party notices' }).getAttribute('href')).toBe('/third-party-notices.txt');
});

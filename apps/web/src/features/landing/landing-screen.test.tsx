import { screen } from '@testing-library/react';
import { useLocation } from 'react-router';
import { describe, expect, it, vi } from 'vitest';
import { fakeConfig } from '../../testing/fake-data.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { LandingScreen } from './landing-screen.tsx';

const Path = () => <output>{useLocation().pathname}</output>;
const checkbox = () => screen.getByRole('checkbox', { name: /I agree to the Terms and Conditions/ });

describe('The first page', () => {
  it('shows the headline, the drawing and the makers of the model', () => {
    renderPage(<LandingScreen />);
    expect(screen.getByRole('heading', { level: 1 })).toHaveProperty(
      'textContent',
      'Some birds sing their own name. For the rest, there’s Chiffchaff.',
    );
    expect(screen.getByRole('img', { name: /chiffchaff singing/ })).toBeTruthy();
    expect(screen.getByRole('region', { name: 'Powered by BirdNET' }).textContent).toContain('CC-BY-NC-SA-4.0');
  });

  it('links the terms of use and their privacy section', () => {
    renderPage(<LandingScreen />);
    expect(screen.getByRole('link', { name: 'Terms and Conditions' }).getAttribute('href')).toBe('/toc');
    const privacy = screen.getAllByRole('link', { name: 'Privacy Policy' });
    expect(privacy.map((link) => link.getAttribute('href'))).toEqual(['/toc#privacy', '/toc#privacy']);
  });

  it('shows Start while the box about the terms is ticked if no account is needed', async () => {
    const { user } = renderPage(<LandingScreen />);
    expect(screen.queryByRole('link', { name: 'Start' })).toBeNull();
    await user.click(checkbox());
    expect(screen.getByRole('link', { name: 'Start' }).getAttribute('href')).toBe('/process');
    await user.click(checkbox());
    expect(screen.queryByRole('link', { name: 'Start' })).toBeNull();
  });

  it('shows Login while the box about the terms is ticked if an account is needed', async () => {
    const { user } = renderPage(<LandingScreen />, { config: { ...fakeConfig, openPrediction: false } });
    await user.click(checkbox());
    expect(screen.getByRole('link', { name: 'Login' }).getAttribute('href')).toBe('/login');
    expect(screen.queryByRole('link', { name: 'Start' })).toBeNull();
  });

  it('leads to Listen without the box about the terms, by its only yellow link or button', async () => {
    const { user, container } = renderPage(<LandingScreen />);
    const listen = screen.getByRole('link', { name: 'Listen now' });
    expect(listen.getAttribute('href')).toBe('/listen');
    await user.click(checkbox());
    expect([...container.querySelectorAll('.button:not(.button-secondary)')]).toEqual([listen]);
  });

  it.each([
    [true, '/process', 'Tick this box first; then you go on to choose your recording.'],
    [false, '/login', 'Tick this box first; then you sign in or create an account, and choose your recording.'],
  ])(
    'leads by a link for uploading to the box about the terms, and from there on as it is ticked: open to all %s',
    async (openPrediction, path, next) => {
      const parts = [<LandingScreen key="page" />, <Path key="path" />];
      const { user } = renderPage(parts, { config: { ...fakeConfig, openPrediction } });
      const upload = screen.getByRole('link', { name: 'Upload a recording' });
      await user.click(upload);
      expect(document.activeElement).toBe(checkbox());
      expect(screen.getByText(next)).toBeTruthy();
      await user.click(checkbox());
      expect(screen.getByRole('status').textContent).toBe(path);
      expect(upload.getAttribute('href')).toBe(path);
    },
  );

  it('stores nothing in the browser when the box about the terms is ticked', async () => {
    const { user } = renderPage(<LandingScreen />);
    await user.click(checkbox());
    expect({ ...window.localStorage }).toEqual({});
  });

  it('offers to try again when the server’s configuration cannot be loaded', async () => {
    const answers = [new Response('busy', { status: 503 }), Response.json(fakeConfig)];
    vi.stubGlobal('fetch', async () => answers.shift());
    const { user } = renderPage(<LandingScreen />, { config: null });
    await user.click(checkbox());
    await user.click(await screen.findByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('link', { name: 'Start' })).toBeTruthy();
  });
});

import { render, screen, within } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { MemoryRouter } from 'react-router';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { App } from './app.tsx';
import { createPageSession } from './platform/session/page-session.ts';
import { fakeConfig } from './testing/fake-data.ts';

let config = fakeConfig;

beforeEach(() => {
  config = fakeConfig;
  vi.stubGlobal('fetch', async () => Response.json(config));
});

function open(at: string) {
  render(
    <MemoryRouter initialEntries={[at]}>
      <App {...createPageSession()} />
    </MemoryRouter>,
  );
  return userEvent.setup();
}
const toolbar = () => within(screen.getByRole('banner')).getByRole('navigation', { name: 'Main navigation' });
const openMenu = (user: UserEvent) => user.click(screen.getByRole('button', { name: /^Men[uü]$/ }));

describe('The page', () => {
  it('links the product’s name to the first page', () => {
    open('/toc');
    expect(screen.getByRole('link', { name: 'Chiffchaff' }).getAttribute('href')).toBe('/');
  });

  it('marks the item of the navigation that belongs to the present screen', async () => {
    const user = open('/');
    await user.click(within(toolbar()).getByRole('link', { name: 'About' }));
    expect(within(toolbar()).getByRole('link', { name: 'About' }).getAttribute('aria-current')).toBe('page');
    expect((await within(toolbar()).findByRole('link', { name: 'Detect Bird' })).getAttribute('aria-current')).toBeNull();
    expect(await screen.findByRole('heading', { level: 1, name: 'About the model' })).toBeTruthy();
    // Screen readers say the name of what has the focus.
    expect(document.activeElement).toBe(await screen.findByRole('main', { name: 'About the model' }));
  });

  it('offers Login instead of Detect Bird if an account is needed', async () => {
    config = { ...fakeConfig, openPrediction: false };
    open('/');
    expect(await within(toolbar()).findByRole('link', { name: 'Login' })).toBeTruthy();
    expect(within(toolbar()).queryByRole('link', { name: 'Detect Bird' })).toBeNull();
  });

  it.each(['/process', '/app', '/no-such-page'])(
    'redirects visitors who are not signed in from %s to the first page',
    async (path) => {
      config = { ...fakeConfig, openPrediction: false };
      open(path);
      expect(await screen.findByRole('heading', { name: /Some birds sing/ })).toBeTruthy();
    },
  );

  it('redirects from /app to the Detect Bird screen', async () => {
    open('/app');
    expect(await screen.findByRole('heading', { name: 'Which bird was that?' })).toBeTruthy();
  });

  it('says that there is nothing at an unknown address, and links elsewhere', async () => {
    open('/no-such-page');
    expect(await screen.findByRole('heading', { name: 'Page not found' })).toBeTruthy();
    const links = within(screen.getByRole('main')).getAllByRole('link');
    expect(links.map((link) => [link.textContent, link.getAttribute('href'), link.className])).toEqual([
      ['Go to the home page', '/', 'button'],
    ]);
  });

  it('shows the terms of use to signed-out visitors', async () => {
    open('/toc');
    expect(await screen.findByRole('heading', { level: 1, name: 'Terms and Conditions' })).toBeTruthy();
    expect((await screen.findByRole('heading', { name: 'Privacy Policy' })).id).toBe('privacy');
  });

  it('opens a drawer with its navigation, which a click on the backdrop closes', async () => {
    const user = open('/');
    await user.click(screen.getByRole('button', { name: 'Menu' }));
    const drawer = screen.getByRole('dialog', { name: 'Menu' });
    expect(drawer.hasAttribute('open')).toBe(true);
    await user.click(within(drawer).getByRole('navigation'));
    expect(drawer.hasAttribute('open')).toBe(true);
    await user.click(drawer); // a click beside the content hits the backdrop
    expect(drawer.hasAttribute('open')).toBe(false);
  });

  it('uses the operator’s language for a browser that asks for no language of the page, until the user chooses another', async () => {
    config = { ...fakeConfig, defaultLanguage: 'de' };
    vi.spyOn(navigator, 'languages', 'get').mockReturnValue(['nl-NL', 'fr']);
    const user = open('/');
    expect(await screen.findByRole('heading', { name: /Manche Vögel singen/ })).toBeTruthy();
    await openMenu(user);
    await user.selectOptions(screen.getByRole('combobox', { name: 'Sprache' }), 'en');
    expect(await screen.findByRole('heading', { name: /Some birds sing/ })).toBeTruthy();
  });

  it('changes to German when German is chosen, and remembers it', async () => {
    const user = open('/');
    await openMenu(user);
    await user.selectOptions(screen.getByRole('combobox', { name: 'Language' }), 'Deutsch');
    expect(await screen.findByRole('heading', { name: /Manche Vögel singen/ })).toBeTruthy();
    expect(JSON.parse(window.localStorage.getItem('preferences') ?? '')).toMatchObject({ language: 'de' });
    await user.selectOptions(screen.getByRole('combobox', { name: 'Sprache' }), 'English');
    expect(await screen.findByRole('heading', { name: /Some birds sing/ })).toBeTruthy();
  });

  it('changes to the dark theme when that is chosen', async () => {
    const user = open('/');
    await openMenu(user);
    await user.selectOptions(screen.getByRole('combobox', { name: 'Theme' }), 'Dark');
    expect(document.documentElement.dataset.theme).toBe('dark');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Theme' }), 'System');
    expect(document.documentElement.dataset.theme).toBeUndefined();
  });
});

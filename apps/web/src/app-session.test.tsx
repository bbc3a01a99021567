import { eventually } from '@chiffchaff/testing';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter, useLocation, useNavigate } from 'react-router';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { App } from './app.tsx';
import { createPageSession, type PageSession } from './platform/session/page-session.ts';
import { fakeConfig } from './testing/fake-data.ts';
import { fakeFolder } from './testing/fake-folder.ts';

let config = fakeConfig;
let stop = () => {};
const issued = { token: 'id.token', refreshToken: 'refresh', expiresInSeconds: 3600, localId: 'u1' };

beforeEach(() => {
  config = { ...fakeConfig, openPrediction: false };
  vi.stubGlobal(
    'fetch',
    vi.fn(async (url: string) => Response.json(url === '/config.json' ? config : { ended: 1 })),
  );
});
afterEach(() => stop());

function Where() {
  const { pathname, search, hash } = useLocation();
  const navigate = useNavigate();
  return (
    <>
      <output aria-label="address">{pathname + search + hash}</output>
      <button type="button" onClick={() => navigate(-1)}>
        Back in the browser
      </button>
    </>
  );
}

function open(at: string) {
  const page = createPageSession();
  stop = page.session.start();
  render(
    <MemoryRouter initialEntries={[at]}>
      <App {...page} />
      <Where />
    </MemoryRouter>,
  );
  return { ...page, user: userEvent.setup() };
}
const signIn = ({ session }: Pick<PageSession, 'session'>, localId = 'u1') =>
  act(() => session.signIn('ada@example.org', false, async () => ({ ...issued, localId })));
const keep = () => {
  const items = { token: 'kept.token', tokenExpiry: new Date(Date.now() + 3_600_000).toISOString(), user: 'ada@example.org' };
  for (const [key, value] of Object.entries({ ...items, userId: 'u1' })) window.localStorage.setItem(key, value);
};
const address = () => screen.getByRole('status', { name: 'address' }).textContent;
const at = (path: string) => eventually(() => expect(address()).toBe(path));
const items = () =>
  within(screen.getAllByRole('navigation', { name: 'Main navigation' })[0] as HTMLElement)
    .getAllByRole('link')
    .map(({ textContent }) => textContent);

describe('The main navigation', () => {
  it('offers Login to a visitor who is signed out', () => {
    open('/toc');
    expect(items()).toEqual(['Listen', 'Birds', 'About', 'Login']);
  });

  it('offers Detect Bird, the account and Logout to a user who is signed in', async () => {
    keep();
    open('/toc');
    await eventually(() =>
      expect(items()).toEqual(['Listen', 'Detect Bird', 'History', 'Life list', 'Birds', 'About', 'Account', 'Logout']),
    );
    for (const name of ['Login', 'Logout']) {
      const link = screen.queryByRole('link', { name });
      if (link) expect(link.getAttribute('href')).toBe('/login');
    }
  });

  it('offers both Detect Bird and Login if no account is needed', async () => {
    config = fakeConfig;
    open('/toc');
    await eventually(() => expect(items()).toEqual(['Listen', 'Detect Bird', 'Birds', 'About', 'Login']));
  });
});

describe('The first page, once the box about the terms is ticked,', () => {
  it.each([
    ['Login', false, false],
    ['Start', true, false],
    ['Start', false, true],
  ])('leads to %s (signed in: %s, no account needed: %s)', async (name, isSignedIn, openPrediction) => {
    config = { ...fakeConfig, openPrediction };
    if (isSignedIn) keep();
    const { user } = open('/');
    await user.click(screen.getByRole('checkbox'));
    const link = await within(screen.getByRole('main')).findByRole('link', { name });
    expect(link.getAttribute('href')).toBe(name === 'Login' ? '/login' : '/process');
  });
});

describe('A screen requested before signing in', () => {
  it.each(['/process', '/process?x=1#y', '/history?search=wren'])('is opened after signing in: %s', async (path) => {
    const page = open(path);
    await at('/');
    await page.user.click(await screen.findByRole('link', { name: 'Login' }));
    await at('/login');
    await signIn(page);
    await at(path);
  });

  it('can be the account screen, which requires sign-in even if no account is needed', async () => {
    config = fakeConfig;
    const page = open('/account');
    await at('/login');
    await signIn(page);
    await at('/account');
  });

  it.each(['//evil.example', '/\\evil.example'])('is forgotten if its address belongs to another site: %s', async (path) => {
    const page = open(path);
    await at('/');
    await page.user.click(await screen.findByRole('link', { name: 'Login' }));
    await signIn(page);
    await at('/process');
  });

  it.each(['/no-such-page?x=1#y', '/process/deeper'])(
    'is replaced by the Detect Bird screen if it does not exist: %s',
    async (path) => {
      const page = open(path);
      await at('/');
      await page.user.click(await screen.findByRole('link', { name: 'Login' }));
      await signIn(page);
      await at('/process');
      expect(screen.queryByRole('heading', { name: 'Page not found' })).toBeNull();
    },
  );

  it.each([
    ['/history', 'You need to sign in to see your history.'],
    ['/history/an-answer', 'You need to sign in to see your history.'],
    ['/account', 'You need to sign in to see your account.'],
    ['/app', 'You need to sign in to identify a recording.'],
    ['/no-such-page', 'There is no page at this address.'],
  ])('is replaced by the first page, which says why: %s', async (path, why) => {
    open(path);
    await at('/');
    expect(screen.getByText(why)).toBeTruthy();
  });

  it('is opened by the sign-in link in the line that says why it is not shown; the line is gone afterwards', async () => {
    const page = open('/history');
    const line = await screen.findByText('You need to sign in to see your history.');
    await page.user.click(within(line).getByRole('link', { name: 'Sign in' }));
    await at('/login');
    await signIn(page);
    await at('/history');
    await page.user.click(screen.getByRole('button', { name: 'Back in the browser' }));
    await at('/');
    expect(screen.queryByText(/You need to sign in/)).toBeNull();
  });

  it('is replaced by the login screen, which says why, if other screens need no account', async () => {
    config = fakeConfig;
    open('/history');
    await at('/login');
    expect(await screen.findByText('You need to sign in to see your history.')).toBeTruthy();
  });

  it('is opened after the next sign-in, but not after later ones', async () => {
    const page = open('/process?x=1');
    await at('/');
    await page.user.click(await screen.findByRole('link', { name: 'Login' }));
    await signIn(page);
    await at('/process?x=1');
    await page.user.click(screen.getByRole('link', { name: 'Chiffchaff' }));
    act(() => page.session.refused('id.token'));
    await page.user.click(screen.getByRole('link', { name: 'Login' }));
    await signIn(page);
    await at('/process');
  });

  it('is forgotten by signing out', async () => {
    const page = open('/process?x=1');
    await at('/');
    await signIn(page);
    await page.user.click(screen.getByRole('link', { name: 'Logout' }));
    await at('/login');
    // The address changes before the session ends.
    await screen.findByRole('link', { name: 'Login' });
    await signIn(page);
    await at('/process');
  });
});

describe('A person who is signed in', () => {
  it('is redirected from /login to the Detect Bird screen', async () => {
    keep();
    open('/login');
    await at('/process');
  });

  it('is told that there is nothing at an unknown address', async () => {
    keep();
    open('/no-such-page');
    expect(await screen.findByRole('heading', { name: 'Page not found' })).toBeTruthy();
    expect(address()).toBe('/no-such-page');
  });

  it('signs out with Logout on any screen, and sees the login screen', async () => {
    keep();
    const page = open('/no-such-page');
    await page.user.click(await screen.findByRole('link', { name: 'Logout' }));
    await at('/login');
    expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeTruthy();
    expect(screen.getByText('You’re signed out.')).toBeTruthy();
    expect(page.session.snapshot().state.token).toBeNull();
    expect({ ...window.localStorage }).toEqual({});
    expect(items()).toEqual(['Listen', 'Birds', 'About', 'Login']);
    await signIn(page);
    await at('/process');
  });

  it('is led to the first page when the session expires, and back after signing in', async () => {
    keep();
    const page = open('/process?x=1');
    await screen.findByRole('heading', { name: 'Which bird was that?' });
    act(() => page.session.refused('kept.token'));
    await at('/');
    expect(screen.getByText('You were signed out. Please sign in again.')).toBeTruthy();
    expect(screen.queryByText(/You need to sign in/)).toBeNull();
    await page.user.click(screen.getByRole('link', { name: 'Sign in' }));
    await signIn(page);
    await at('/process?x=1');
    expect(screen.queryByText('You were signed out. Please sign in again.')).toBeNull();
  });
});

it.each(['/', '/toc', '/login', '/history', '/no-such-page'])(
  'The page says after a reload that the session has expired, at %s',
  async (path) => {
    keep();
    window.localStorage.setItem('tokenExpiry', new Date(Date.now() - 1000).toISOString());
    open(path);
    expect((await screen.findByRole('alert')).textContent).toContain('You were signed out. Please sign in again.');
    cleanup();
    stop();
    open(path);
    expect((await screen.findByRole('alert')).textContent).toContain('You were signed out. Please sign in again.');
  },
);

it.each(['/', '/toc', '/about', '/login', '/account/action?mode=verifyEmail'])(
  'The screen at %s is open to signed-out visitors',
  async (path) => {
    open(path);
    expect(await screen.findByRole('heading', { level: 1 })).toBeTruthy();
    expect(address()).toBe(path);
  },
);

describe('A person who signs out with recorded sessions on the device', () => {
  const [ofDevice, ofAda, ofBen] = ['20260501T051244120Z', '20260501T060000000Z@u1', '20260501T070000000Z@u2'];
  let root: ReturnType<typeof fakeFolder>;
  const set = (name: 'storage' | 'locks', value: object) => Object.defineProperty(navigator, name, { value, configurable: true });
  beforeEach(() => {
    const session = () => ({ 'sound.wav': new Blob(['sound']) });
    root = fakeFolder({ recordings: { [ofDevice]: session(), [ofAda]: session(), [ofBen]: session() } });
    set('storage', { getDirectory: async () => root.handle });
    set('locks', { query: async () => ({ held: [] }), request: async (_: string, work: () => unknown) => work() });
    return () => {
      for (const name of ['storage', 'locks']) Reflect.deleteProperty(navigator, name);
    };
  });
  async function signOut() {
    keep();
    const page = open('/toc');
    await page.user.click(await screen.findByRole('link', { name: 'Logout' }));
    await screen.findByRole('heading', { name: 'Some recordings haven’t been uploaded yet' });
    expect(screen.getByText(/^One recording/).textContent).toContain('is only on this device');
    expect(page.session.snapshot().state.token).not.toBeNull();
    return page;
  }

  it('is asked about their own, and can keep them on the device for their next sign-in', async () => {
    const { user } = await signOut();
    await user.click(screen.getByRole('button', { name: 'Sign out and keep on this device' }));
    await screen.findByText('You’re signed out.');
    expect(root.names('recordings')).toEqual([ofDevice, ofAda, ofBen]);
  });

  it('can have their own deleted, and no others', async () => {
    const { user } = await signOut();
    await user.click(screen.getByRole('button', { name: 'Delete and sign out' }));
    await screen.findByText('You’re signed out.');
    await eventually(() => expect(root.names('recordings')).toEqual([ofDevice, ofBen]));
  });

  it('is not asked if all these sessions belong to the device or to other accounts', async () => {
    await (await root.handle.getDirectoryHandle('recordings')).removeEntry(ofAda);
    keep();
    const { user } = open('/toc');
    await user.click(await screen.findByRole('link', { name: 'Logout' }));
    await screen.findByText('You’re signed out.');
  });
});

describe('A screen that needs no sign-in, in a tab of an account that is signed in,', () => {
  async function chooseAsAda() {
    config = fakeConfig;
    keep();
    const page = open('/process');
    const picker = await screen.findByLabelText('Recording', { selector: 'input' });
    fireEvent.change(picker, { target: { files: [new File(['x'], 'ada’s garden.wav', { type: 'audio/wav' })] } });
    await screen.findAllByText('ada’s garden.wav');
    return page;
  }
  const isStillChosen = async () => expect(await screen.findAllByText('ada’s garden.wav')).not.toEqual([]);
  const isNoLongerChosen = async () => {
    await waitFor(() => expect(screen.queryByText('ada’s garden.wav')).toBeNull());
    expect(await screen.findByLabelText('Recording', { selector: 'input' })).toBeTruthy();
    expect(address()).toBe('/process');
  };
  /** Another tab changes the session: the browser tells this one. */
  const elsewhere = (change: () => void) =>
    act(() => {
      change();
      window.dispatchEvent(Object.assign(new Event('storage'), { key: 'token' }));
    });

  it('shows nothing that was chosen there once the account signs out in another tab', async () => {
    await chooseAsAda();
    elsewhere(() => window.localStorage.clear());
    await isNoLongerChosen();
  });

  it.each([true, false])(
    'shows nothing that was chosen there to an account that signs in in another tab (after an expiry: %s)',
    async (isExpired) => {
      const page = await chooseAsAda();
      if (isExpired) act(() => page.session.refused('kept.token'));
      await isStillChosen();
      elsewhere(() => {
        keep();
        window.localStorage.setItem('token', 'of.ben');
        window.localStorage.setItem('userId', 'u2');
      });
      await isNoLongerChosen();
    },
  );

  it('keeps what was chosen there when the session expires and the same account signs in again', async () => {
    const page = await chooseAsAda();
    act(() => page.session.refused('kept.token'));
    await isStillChosen();
    await signIn(page);
    await isStillChosen();
  });
});

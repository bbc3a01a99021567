import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { fakeFolder } from '../../../testing/fake-folder.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { KeptSessions } from './kept-sessions.tsx';

const [ofDevice, ofAda] = ['20260501T051244120Z', '20260502T060000000Z@ada'];
let root: ReturnType<typeof fakeFolder>;

beforeEach(() => {
  const sessionAt = (name: string) => ({
    'sound.wav': new Blob([new Uint8Array(960_044)]),
    'notes.json': new Blob([JSON.stringify({ place: { kind: 'place', latitude: 50.8, longitude: 12.9, name } })]),
  });
  root = fakeFolder({ recordings: { [ofDevice]: sessionAt('Lisbon, Portugal'), [ofAda]: sessionAt('Chemnitz, Germany') } });
  for (const [name, value] of Object.entries({
    storage: { getDirectory: async () => root.handle },
    locks: { query: async () => ({ held: [] }), request: async (_: string, work: () => unknown) => work() },
  }))
    Object.defineProperty(navigator, name, { value, configurable: true });
  return () => {
    for (const name of ['storage', 'locks']) Reflect.deleteProperty(navigator, name);
  };
});

/** Signs an account in as the page does. */
async function openAs(localId: string | null) {
  const page = renderPage(<KeptSessions onOpen={vi.fn()} />);
  const stop = page.session.start();
  const issued = { token: 'id.token', refreshToken: 'r', expiresInSeconds: 3600 };
  if (localId !== null) await act(() => page.session.signIn('a@example.org', false, async () => ({ ...issued, localId })));
  return { ...page, stop };
}
const places = async (first: string) => {
  await screen.findByText(new RegExp(first));
  return screen.getAllByRole('listitem').map(({ textContent }) => /Lisbon|Chemnitz/.exec(textContent)?.[0]);
};

it('Recorded sessions of an account are listed for this account only, those of the device for everybody', async () => {
  const { session, stop } = await openAs('ada');
  expect(await places('Chemnitz')).toEqual(['Chemnitz', 'Lisbon']);
  expect(screen.queryByText(/waiting for the person/)).toBeNull();
  await act(async () => session.signOut({ revoke: false }));
  await screen.findByText('One recording is waiting for the person who saved it to sign in again.');
  expect(await places('Lisbon')).toEqual(['Lisbon']);
  stop();
});

it('Recorded sessions of an account are not even counted for another account', async () => {
  const { stop } = await openAs('ben');
  expect(await places('Lisbon')).toEqual(['Lisbon']);
  expect(screen.queryByText(/waiting for the person/)).toBeNull();
  stop();
});

it('A recorded session is discarded after a question, from which Escape leads back; then the heading has the focus', async () => {
  const { user, stop } = await openAs('ada');
  await places('Chemnitz');
  const discard = () => screen.getAllByRole('button', { name: /^Discard the recording/ })[0];
  await user.click(discard() ?? document.body);
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Cancel' }));
  await user.keyboard('{Escape}');
  expect(document.activeElement).toBe(discard());
  await user.keyboard('{Enter}');
  await user.click(screen.getByRole('button', { name: 'Yes, discard' }));
  await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(1));
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Recorded on this device' }));
  stop();
});

import { screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { speak } from '../../languages/i18n.ts';
import { createStore } from '../../platform/browser/store.ts';
import type { Outbox, OutboxEntry, OutboxSnapshot } from '../../platform/outbox/create-outbox.ts';
import { fakePrediction } from '../../testing/fake-data.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { OutboxList } from './outbox-list.tsx';

const entry: OutboxEntry = {
  id: 'one',
  owner: 'ada',
  fileName: 'dawn.wav',
  bytes: 5_760_000,
  startedAt: '2026-05-01T05:12:00.000Z',
  addedAt: '2026-05-01T05:20:00.000Z',
  prediction: fakePrediction(),
  serverPrediction: null,
  error: null,
  standing: 'waiting',
  progress: null,
};

function show(part: Partial<OutboxSnapshot>, isSignedIn = true) {
  const { set, ...store } = createStore<OutboxSnapshot>({ entries: [], waitingForSignIn: 0, arrived: 0, ...part });
  const outbox: Outbox = {
    ...store,
    add: vi.fn(),
    sendNow: vi.fn(),
    leaveOut: vi.fn(),
    keep: vi.fn(),
    sound: vi.fn(),
    remove: vi.fn(),
    removeAllOf: vi.fn(),
    removeWaitingForSignIn: vi.fn(),
  };
  return { ...renderPage(<OutboxList isSignedIn={isSignedIn} outbox={outbox} />), outbox, set };
}

it('The outbox lists waiting recordings and their size, and lets each be sent, left out and, after a question, deleted', async () => {
  const { user, outbox } = show({ entries: [entry] });
  expect(screen.getByText(/^One recording \(5\.5 MB\) is on this device\./)).toBeTruthy();
  expect(screen.getByText('Common Chiffchaff')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Upload now: dawn.wav' }));
  expect(outbox.sendNow).toHaveBeenCalledWith('one');
  await user.click(screen.getByRole('button', { name: 'Don’t upload for now: dawn.wav' }));
  expect(outbox.leaveOut).toHaveBeenCalledWith('one');
  await user.click(screen.getByRole('button', { name: 'Delete: dawn.wav' }));
  await user.keyboard('{Escape}');
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Delete: dawn.wav' }));
  await user.keyboard('{Enter}');
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Cancel' }));
  expect(outbox.remove).not.toHaveBeenCalled();
  await user.click(screen.getByRole('button', { name: 'Delete it' }));
  expect(outbox.remove).toHaveBeenCalledWith('one');
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Waiting to be uploaded' }));
});

it('The outbox says if the server names other birds than the device did', async () => {
  const [bird] = fakePrediction().candidates;
  if (!bird) throw new Error('The fake answer names no bird');
  const named = [{ ...bird, commonName: 'Wren', scientificName: 'Troglodytes troglodytes', firstSeconds: 1 }];
  const serverPrediction = fakePrediction({ verdict: { ...fakePrediction().verdict, named } });
  show({ entries: [{ ...entry, standing: 'arrived', serverPrediction }], arrived: 1 });
  expect(screen.getByText(/this device named Common Chiffchaff, the server Wren\.$/)).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Open result' }).getAttribute('href')).toBe(`/history/${serverPrediction.id}`);
});

it('The outbox offers recordings made without an account to the account that is signed in, with their size', async () => {
  const { user, outbox } = show({ entries: [{ ...entry, owner: null }] });
  expect(screen.queryByRole('button', { name: /^Upload now/ })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Save to my history (5.5 MB): dawn.wav' }));
  expect(outbox.keep).toHaveBeenCalledWith('one');
});

it('The outbox tells a visitor only how many recordings wait, and is hidden if there are none', async () => {
  const { set, container, outbox, user } = show({ waitingForSignIn: 2 }, false);
  expect(screen.getByText('2 recordings are waiting for the person who saved them to sign in again.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Delete from this device' }));
  expect(screen.getByText('They haven’t been uploaded and will be lost.')).toBeTruthy();
  expect(outbox.removeWaitingForSignIn).not.toHaveBeenCalled();
  await user.click(screen.getByRole('button', { name: 'Delete them for good' }));
  expect(outbox.removeWaitingForSignIn).toHaveBeenCalledOnce();
  set({ entries: [entry], waitingForSignIn: 0, arrived: 0 });
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Waiting to be uploaded' })));
  set({ entries: [], waitingForSignIn: 2, arrived: 0 });
  await speak('de');
  await screen.findByText(/^2 Aufnahmen warten darauf/);
  await speak('en');
  set({ entries: [], waitingForSignIn: 0, arrived: 0 });
  await waitFor(() => expect(container.querySelector('section')).toBeNull());
});

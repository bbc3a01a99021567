import { act, fireEvent, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeConfig } from '../../../testing/fake-data.ts';
import { answerEveryClient } from '../../../testing/fake-identity-service.ts';
import { nextRequest } from '../../../testing/fake-transport.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { DetectionScreen } from '../detection-screen.tsx';
import { createPredictionQueue } from '../queue/prediction-queue.ts';
import { PlaceSetting } from './place-line.tsx';

answerEveryClient();

const recording = new File(['some sound'], '20260515_051200.wav');
const zone = 'Europe/London';

beforeEach(() => {
  const options = new Intl.DateTimeFormat().resolvedOptions();
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue({ ...options, timeZone: zone });
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => Response.json({ ended: 1 })),
  );
});

function open(config = fakeConfig) {
  const page = renderPage(<DetectionScreen queue={createPredictionQueue(() => {})} />, { at: '/process', config });
  return { ...page, press: (name: string) => page.user.click(screen.getByRole('button', { name })) };
}

/** Sends a recording and unmounts the page. @returns the place fields of the request */
async function send(page: ReturnType<typeof open>) {
  fireEvent.change(screen.getByLabelText('Recording', { selector: 'input' }), { target: { files: [recording] } });
  await page.press('Identify');
  for (;;) {
    const { url, body } = await nextRequest();
    if (!url.startsWith('/get_prediction')) continue;
    if (!(body instanceof FormData)) throw new Error('The body is no form');
    page.unmount();
    return Object.fromEntries([...body].filter(([name]) => ['latitude', 'placeSource', 'timeZone'].includes(name)));
  }
}
const isAsked = () => screen.queryByRole('group', { name: 'Where was it recorded?' }) !== null;
const chip = () => screen.getByRole('group', { name: 'Place and date' }).textContent;

it('The place setting of Listen and Birds, where there is no recording, does not ask for the date of one', async () => {
  const { user } = renderPage(<PlaceSetting onChange={() => {}} />);
  await user.click(screen.getByRole('button', { name: 'Search for a town' }));
  expect(screen.getByLabelText('For which date?')).toBeTruthy();
  expect(screen.queryByLabelText('Date of the recording')).toBeNull();
});

describe('The place line of the Detect Bird screen', () => {
  it('asks once for the place, and says when it is assumed from the time zone because the user gave none', async () => {
    const page = open();
    expect(isAsked()).toBe(true);
    expect(screen.getByText('If you don’t choose: around London, assumed from your time zone.')).toBeTruthy();
    expect(await send(page)).toEqual({ timeZone: zone });
    const next = open();
    expect(isAsked()).toBe(false);
    expect(chip()).toBe('around London, assumed from your time zoneChangeAnywhere');
    expect(await send(next)).toEqual({ timeZone: zone });
  });

  it('offers “anywhere”, with which no place is sent, and then the assumed place again', async () => {
    const page = open();
    await page.press('Anywhere');
    expect(chip()).toBe('anywhere in the worldChange');
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Change' }));
    expect(await send(page)).toEqual({});
    const next = open();
    expect(chip()).toBe('anywhere in the worldChange');
    await next.press('Change');
    await next.press('Use my time zone (around London)');
    expect(chip()).toBe('around London, assumed from your time zoneDone');
    expect(await send(next)).toEqual({ timeZone: zone });
  });

  it('remembers the device’s position on this device, until the account signs out', async () => {
    const coords = { latitude: 52.2053, longitude: 0.1218 };
    const getCurrentPosition = (found: (position: { coords: typeof coords }) => void) => found({ coords });
    Object.defineProperty(navigator, 'geolocation', { configurable: true, value: { getCurrentPosition } });
    const page = open();
    await page.press('Search for a town');
    await page.press('Use my position'); // the only one: the fields offer it in place of the question
    expect(await send(page)).toEqual({ latitude: '52.21', placeSource: 'stated' });
    const next = open();
    expect(chip()).toBe('near 52.21, 0.12Change');
    await next.signIn();
    act(() => next.session.refused('u1.token'));
    expect(window.localStorage.getItem('place')).not.toBeNull();
    await next.signIn();
    act(() => next.session.signOut());
    expect(window.localStorage.getItem('place')).toBeNull();
  });

  it('shows the operator’s place if nothing was chosen, without asking', async () => {
    const page = open({ ...fakeConfig, defaultPlace: { latitude: 50.8357, longitude: 12.9292, name: 'Chemnitz' } });
    expect(chip()).toBe('near ChemnitzChange');
    expect(await send(page)).toEqual({ latitude: '50.8357', placeSource: 'stated' });
    expect(window.localStorage.getItem('place')).toBeNull();
  });
});

import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { answerEveryClient } from '../../../testing/fake-identity-service.ts';
import { type FakeRequest, nextRequest } from '../../../testing/fake-transport.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { DetectionScreen } from '../detection-screen.tsx';
import { createPredictionQueue } from '../queue/prediction-queue.ts';

answerEveryClient();

const hindered = new File(['#!AMR\nsome sound'], 'owl.amr');
const offer = 'Keep it for half an hour so that I can listen';
const offered = () => screen.queryByRole<HTMLInputElement>('checkbox', { name: offer });

beforeEach(() => {
  vi.spyOn(HTMLMediaElement.prototype, 'src', 'set').mockImplementation(function (this: HTMLMediaElement) {
    this.dispatchEvent(new Event('error'));
  });
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => Response.json({ ended: 1 })),
  );
});

/** @param keepAudio the account's setting; null for a visitor */
async function open(keepAudio: string | null) {
  const page = renderPage(<DetectionScreen queue={createPredictionQueue(() => {})} />, { at: '/process' });
  if (keepAudio !== null) {
    await page.signIn();
    await act(async () => (await requestOf('/v1/account/settings')).answer(200, { keepAudio }));
  }
  fireEvent.change(screen.getByLabelText('Recording', { selector: 'input' }), { target: { files: [hindered] } });
  return page;
}

/** The next request to a path, skipping all others. */
async function requestOf(path: string): Promise<FakeRequest> {
  for (;;) {
    const request = await nextRequest();
    if (request.url.startsWith(path)) return request;
  }
}

async function sentFields({ user }: ReturnType<typeof renderPage>): Promise<Record<string, FormDataEntryValue>> {
  await user.click(screen.getByRole('button', { name: 'Identify' }));
  const { body } = await requestOf('/get_prediction');
  if (!(body instanceof FormData)) throw new Error('The body is no form');
  return Object.fromEntries([...body.entries()].filter(([name]) => name !== 'file'));
}

it('The Detect Bird screen says beside its button what audio is kept, and links to that setting', async () => {
  const { user } = await open('moments');
  expect(await screen.findByText(/Short clips of the audio are kept for \d+ days\./)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Change what is kept' }));
  expect(screen.getByText('Options').closest('details')?.open).toBe(true);
  expect(screen.getByRole('group', { name: 'Audio to keep' }).contains(document.activeElement)).toBe(true);
});

it('The Detect Bird screen offers to keep short recordings whole, off at first, and sends the choice with the recording', async () => {
  const page = await open('moments');
  const choice = await screen.findByRole<HTMLInputElement>('radio', { name: 'Whole recording if under a minute' });
  expect(choice.checked).toBe(false);
  await page.user.click(choice);
  expect(choice.checked).toBe(true);
  expect(
    screen.getByText(/The recording is kept for 30 days: whole if it’s under a minute, otherwise as short clips\./),
  ).toBeTruthy();
  expect(screen.getByText(/^A recording under a minute is kept whole for 30 days, a longer one as short clips\./)).toBeTruthy();
  expect(await sentFields(page)).toMatchObject({ keepAudio: 'shortRecording' });
});

it('The Detect Bird screen shows the audio retention of the account, and sends the same with the recording', async () => {
  const page = await open('shortRecording');
  expect(await screen.findByText(/kept for 30 days: whole if it’s under a minute/)).toBeTruthy();
  expect(await sentFields(page)).toMatchObject({ keepAudio: 'shortRecording' });
});

describe('A recording that the Detect Bird screen can neither draw nor play', () => {
  it('gets a note that says so, while a file that is clearly not a recording gets none', async () => {
    const { container } = await open(null);
    expect(await screen.findByText(/^owl\.amr can’t be shown or played here/)).toBeTruthy();
    const paper = new File(['PK'], 'homework.docx', { type: 'application/msword' });
    fireEvent.change(screen.getByLabelText('Recording', { selector: 'input' }), { target: { files: [paper] } });
    expect(await screen.findByText('This doesn’t look like an audio file.')).toBeTruthy();
    await act(async () => new Promise((resolve) => setTimeout(resolve)));
    expect(container.textContent).not.toMatch(/homework\.docx can’t be shown/);
  });

  it('gets a note that says so before it is sent, and audio is kept only as the user chose', async () => {
    const page = await open('nothing');
    expect(await screen.findByText(/^owl\.amr can’t be shown or played here/)).toBeTruthy();
    expect(offered()?.checked).toBe(false);
    expect(await sentFields(page)).toMatchObject({ keepAudio: 'nothing' });
  });

  it('is sent without a request to keep a copy for half an hour unless the user chose it', async () => {
    const page = await open('nothing');
    await screen.findByText(/can’t be shown or played here/);
    expect(Object.keys(await sentFields(page))).not.toContain('listeningCopy');
  });

  it('is kept for half an hour if the user ticks the box for it', async () => {
    const page = await open('nothing');
    await page.user.click(await screen.findByRole('checkbox', { name: offer }));
    expect(await sentFields(page)).toMatchObject({ keepAudio: 'nothing', listeningCopy: 'true' });
  });

  it('gets no copy for half an hour if it is kept whole, even if the user chose the copy before', async () => {
    const page = await open('nothing');
    await page.user.click(await screen.findByRole('checkbox', { name: offer }));
    await page.user.click(screen.getByRole('radio', { name: 'The whole recording' }));
    await waitFor(() => expect(offered()).toBeNull());
    expect(await sentFields(page)).toEqual(expect.not.objectContaining({ listeningCopy: 'true' }));
  });

  it('is not kept for a visitor without an account', async () => {
    const page = await open(null);
    expect(await screen.findByText(/owl\.amr can’t be shown or played here/)).toBeTruthy();
    expect(screen.getByText(/If you sign in, the server can keep the recording for half an hour/)).toBeTruthy();
    expect(offered()).toBeNull();
    expect(Object.keys(await sentFields(page))).not.toContain('listeningCopy');
  });
});

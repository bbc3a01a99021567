import { openPage, shareBrowser } from '@chiffchaff/bench/harness/browser';
import { chooseFiles, heading, openWithModel } from '@chiffchaff/bench/harness/people';
import { fallingNotes, hoursOfHum } from '@chiffchaff/bench/harness/recordings';
import { type StartedServer, startServer } from '@chiffchaff/bench/harness/server';
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBarriers } from './accessibility.ts';
import { type Receiver, soundOf, startReceiver } from './received.ts';
import { syntheticVoice } from './synthetic-voice.ts';

const SAMPLE_RATE = 48_000;

let server: StartedServer;
let receiver: Receiver;
let opened: Awaited<ReturnType<typeof openPage>>;
let page: Page;
const requests: Request[] = [];

const button = (name: string) => page.getByRole('button', { name, exact: true });
const chooseScreen = () => heading(page, 'Which bird was that?').waitFor();
/** Leaves a result, and removes it from those that aren’t saved. */
async function startOver(): Promise<void> {
  await button('Try another recording').click();
  await button('Remove notes.wav').click();
}

/** Requests to the server so far, except those for public data: files of the page and of the model, and occurrences at a place. */
const sent = () =>
  requests
    .splice(0)
    .filter((request) => request.url().startsWith('http'))
    .map((request) => `${request.method()} ${new URL(request.url()).pathname}`)
    .filter((line) => !/^GET \/(assets\/|healthz$|config\.json$|v1\/(on-device|models|occurrences)\b)/.test(line));

describe('Recordings analysed on the device', () => {
  beforeAll(async () => {
    server = await startServer();
    receiver = await startReceiver(server.origin);
    opened = await openPage(await shareBrowser(), receiver.origin);
    ({ page } = opened);
    await openWithModel(page);
    page.on('request', (request) => requests.push(request));
  });
  afterAll(async () => {
    await opened?.close();
    receiver?.stop();
    await server?.stop();
  });

  it('get their result without sending anything to the server', async () => {
    expect(await findBarriers(page)).toEqual([]);
    await chooseFiles(page, fallingNotes(8));
    requests.splice(0);
    await button('Identify').click();
    await page.getByRole('heading', { name: 'Look and listen' }).waitFor();
    expect(await page.getByText('notes.wav').count()).toBeGreaterThan(0);
    expect(sent()).toEqual([]);
    expect(await findBarriers(page)).toEqual([]);
    await startOver();
  });

  it('can be cancelled, and others are analysed afterwards', async () => {
    await chooseFiles(page, hoursOfHum(1));
    await button('Identify').click();
    await page
      .getByRole('status')
      .filter({ hasText: /\d+% analysed/ })
      .waitFor();
    await button('Cancel').click();
    await chooseScreen();
    await button('Remove hum.wav').click();
    await chooseFiles(page, fallingNotes(4));
    await button('Identify').click();
    await page.getByRole('heading', { name: 'Look and listen' }).waitFor();
    await startOver();
  });

  it('can be sent to the server if this browser cannot open them, but only on request', async () => {
    await chooseFiles(page, { name: 'song.wma', mimeType: 'audio/x-ms-wma', buffer: Buffer.alloc(5000, 'not a sound ') });
    requests.splice(0);
    await button('Identify').click();
    await page.getByText('The recording couldn’t be opened here').waitFor();
    expect(sent()).toEqual([]);
    await button('Analyse on the server instead').click();
    await page.getByText('This recording couldn’t be checked for speech.').waitFor();
    expect(sent()).toEqual([]);
    await button('Upload it as it is').click();
    await button('Analyse on the server instead').waitFor({ state: 'detached' });
    await heading(page, 'That didn’t work').waitFor();
    expect(sent()).toEqual(['POST /get_prediction']);
    await button('Choose another recording').click();
  });

  it('can be sent to the server with all speech silenced', async () => {
    await page.getByText('Options', { exact: true }).click();
    await page.getByRole('radio', { name: 'On the server' }).check();
    const walk = syntheticVoice(15, 6, 12);
    await chooseFiles(page, walk);
    requests.splice(0);
    await button('Identify').click();
    await page.getByText(/^Someone speaks from 0:0[3-6] to 0:1[2-5]\.$/).waitFor();
    expect(sent()).toEqual([]);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByText(/a WAV file of .+ is uploaded/).waitFor();
    await button('Silence those seconds').click();
    await page.getByRole('heading', { name: 'Look and listen' }).waitFor();
    const [before, after] = [soundOf(walk.buffer), receiver.receivedSound()];
    expect(after.length).toBe(before.length);
    expect(after.subarray(6 * SAMPLE_RATE, 12 * SAMPLE_RATE).every((sample) => sample === 0)).toBe(true);
    expect(before.subarray(6 * SAMPLE_RATE, 12 * SAMPLE_RATE).some((sample) => Math.abs(sample) > 1000)).toBe(true);
    expect(after.subarray(0, 3 * SAMPLE_RATE)).toEqual(before.subarray(0, 3 * SAMPLE_RATE));
  });
});

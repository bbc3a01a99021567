import { chunk, utf8, wave } from '@chiffchaff/survey/testing';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import axios from 'axios';
import { useState } from 'react';
import { Link, Route, Routes, useLocation, useParams } from 'react-router';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { speak } from '../../languages/i18n.ts';
import * as saving from '../../platform/browser/save-file.ts';
import { rememberDeviceModel } from '../../platform/on-device/installed-hint.ts';
import { keptAnswersOf } from '../../platform/storage/kept-answers.ts';
import { preferences } from '../../platform/storage/preferences.ts';
import { takeConsoleErrors } from '../../testing/expected-console.ts';
import { fakeConfig, fakePrediction, fakeProblem } from '../../testing/fake-data.ts';
import { FakeRequest, nextRequest, useFakeTransport } from '../../testing/fake-transport.ts';
import { pasteInto } from '../../testing/paste-into.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { DetectionScreen } from './detection-screen.tsx';
import * as analysis from './on-device/analyze-here.ts';
import { createPredictionQueue } from './queue/prediction-queue.ts';

const recording = new File(['some sound'], '20260501_051200.wav', { type: 'audio/wav' });

beforeEach(() => {
  useFakeTransport();
  axios.defaults.adapter = 'xhr';
  vi.stubGlobal(
    'OfflineAudioContext',
    class {
      decodeAudioData = async () => {
        throw new DOMException('made up', 'EncodingError');
      };
    },
  );
});
afterEach(() => speak('en'));

function open(config = fakeConfig) {
  const log = vi.fn();
  const page = renderPage(<DetectionScreen queue={createPredictionQueue(log)} />, { at: '/process', config });
  const choose = (file: File) =>
    fireEvent.change(screen.getByLabelText('Recording', { selector: 'input' }), { target: { files: [file] } });
  const listen = () => page.user.click(screen.getByRole('button', { name: 'Identify' }));
  const openPlace = () => page.user.click(screen.getByRole('button', { name: /^(Search for a town|Change)$/ }));
  return { ...page, log, choose, listen, openPlace };
}

/** From now on, the window is narrow. */
function narrow() {
  const query = (media: string) => ({ matches: false, media, addEventListener() {}, removeEventListener() {} });
  vi.spyOn(window, 'matchMedia').mockImplementation((media) => query(media) as unknown as MediaQueryList);
}

/** The next prediction request, skipping all others of an account's page. */
async function nextPrediction(): Promise<FakeRequest> {
  for (;;) {
    const request = await nextRequest();
    if (request.url === '/get_prediction') return request;
  }
}

/** Proceeds until the request is being sent. */
async function send() {
  const page = open();
  page.choose(recording);
  await page.listen();
  return { ...page, request: await nextRequest() };
}

describe('Choosing a recording on the Detect Bird screen', () => {
  it('is explained in a sentence with the accepted formats and limits', () => {
    open();
    const help = screen.getByText(/WAV, FLAC, MP3/).textContent;
    expect(help).toContain('At least 0.5 seconds, at most 3 hours and 2 GB');
  });

  it('is required before anything is sent, and a sentence says so', async () => {
    const { listen, choose } = open();
    const button = screen.getByRole('button', { name: 'Identify', description: 'Choose a recording first.' });
    expect(button.getAttribute('aria-disabled')).toBe('true');
    expect(button.className).toContain('button-secondary');
    await listen();
    expect(FakeRequest.sent).toHaveLength(0);
    choose(recording);
    expect(button.getAttribute('aria-disabled')).toBe('false');
    expect(button.className).toBe('button');
  });

  it('is also possible by dropping a file on the screen and by pasting a file', () => {
    open();
    fireEvent.drop(screen.getByRole('group', { name: 'Recording' }), {
      dataTransfer: { files: [new File(['x'], 'dropped.wav')] },
    });
    expect(screen.getByText('dropped.wav')).toBeTruthy();
    act(() => {
      window.dispatchEvent(Object.assign(new Event('paste'), { clipboardData: { files: [new File(['x'], 'pasted.wav')] } }));
    });
    expect(screen.getByText('pasted.wav')).toBeTruthy();
  });

  it('refuses a file larger than the limit before it is sent', async () => {
    const { choose, listen } = open({ ...fakeConfig, limits: { ...fakeConfig.limits, maxUploadBytes: 5 } });
    choose(recording);
    expect(screen.getByRole('alert').textContent).toContain('This recording is 10 bytes. You can upload up to 5 bytes.');
    await listen();
    expect(FakeRequest.sent).toHaveLength(0);
  });

  it('lets a device that has the model analyse a recording itself, though the server would refuse it', async () => {
    rememberDeviceModel(true);
    const analyze = vi.spyOn(analysis, 'analyzeHere').mockReturnValue(new Promise(() => {}));
    const { choose, user } = open({ ...fakeConfig, limits: { ...fakeConfig.limits, maxUploadBytes: 5 } });
    expect(screen.queryByRole('button', { name: 'Analyse on this device' })).toBeNull();
    choose(recording);
    await user.click(screen.getByRole('button', { name: 'Analyse on this device' }));
    await waitFor(() => expect(analyze.mock.lastCall?.[0]).toMatchObject({ file: recording, isForDevice: true }));
    expect(FakeRequest.sent).toHaveLength(0);
    expect(preferences.snapshot().analyzeOnDevice).toBe(false);
    rememberDeviceModel(false);
  });

  it('takes the date from the file name and says so, never today’s date', async () => {
    const { user, choose, openPlace } = open();
    await openPlace();
    const date = screen.getByLabelText<HTMLInputElement>('Date of the recording');
    expect(date.value).toBe('');
    choose(recording);
    await waitFor(() => expect(date.value).toBe('2026-05-01'));
    expect(screen.getByText(/The date comes from the file name/)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: `Remove ${recording.name}` }));
    expect(date.value).toBe('');
    choose(new File(['x'], 'morning.wav'));
    expect(await screen.findByText('morning.wav')).toBeTruthy();
    expect(date.value).toBe('');
  });

  it('proposes the place stated in the file, and removes that on request', async () => {
    const { user, choose, listen, openPlace } = open();
    await openPlace();
    choose(new File([wave(chunk('guan', utf8('Timestamp: 2026-05-01T05:12\nLoc Position: 50.8357 12.9292\n')))], 'bat.wav'));
    const latitude = screen.getByLabelText<HTMLInputElement>('Latitude');
    await waitFor(() => expect(latitude.value).toBe('50.84'));
    expect(screen.getByText('The place comes from the file.')).toBeTruthy();
    expect(screen.getByText('near 50.84, 12.93, early May · from the file')).toBeTruthy();
    expect(screen.getByText(/The date comes from the file\./)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Don’t use it' }));
    expect(latitude.value).toBe('');
    await listen();
    const { body } = await nextRequest();
    if (!(body instanceof FormData)) throw new Error('The body is no form');
    expect([body.get('latitude'), body.get('date')]).toEqual([null, '2026-05-01']);
  });

  it('accepts several recordings, each with its own date and a button to remove it, and sends those that can be sent', async () => {
    const { user, openPlace } = open();
    fireEvent.change(screen.getByLabelText('Recording', { selector: 'input' }), {
      target: { files: [recording, new File(['y'], '20260502_051200.wav'), new File([], 'empty.wav'), recording] },
    });
    const list = screen.getByRole('list', { name: 'Chosen recordings' });
    await waitFor(() => expect(list.textContent).toMatch(/May 2, 2026|2 May 2026/));
    expect(list.children).toHaveLength(3);
    await openPlace();
    expect(screen.getByText(/Each recording uses the date in its file/)).toBeTruthy();
    expect(screen.getByRole('alert').textContent).toBe('There is no audio in this file.');
    await user.click(screen.getByRole('button', { name: 'Identify 2 recordings' }));
    const first = await nextRequest();
    if (!(first.body instanceof FormData)) throw new Error('The body is no form');
    expect(first.body.get('date')).toBe('2026-05-01');
    expect(await screen.findByRole('heading', { level: 2, name: '2 recordings' })).toBeTruthy();
    act(() => first.answer(200, fakePrediction()));
    const second = await nextRequest();
    if (!(second.body instanceof FormData)) throw new Error('The body is no form');
    expect(second.body.get('date')).toBe('2026-05-02');
    expect(screen.getByText('1 of 2 analysed.')).toBeTruthy();
    const row = (name: RegExp) => screen.getByRole('button', { name });
    expect(row(/^20260501/).textContent).toBe('20260501_051200.wav Common Chiffchaff Very likely');
    act(() => second.answer(422, fakeProblem('RECORDING_DAMAGED', { detail: 'It ends too early.' })));
    await user.click(row(/^20260502/));
    expect(document.activeElement).toBe(await screen.findByRole('heading', { level: 1, name: 'That didn’t work' }));
    expect(row(/^20260502/).textContent).toBe('20260502_051200.wav It ends too early.');
    expect(row(/^20260502/).getAttribute('aria-current')).toBe('true');
    const saved = vi.spyOn(saving, 'saveFile').mockImplementation(() => {});
    await user.click(screen.getByRole('button', { name: 'Download all (CSV)' }));
    await waitFor(() => expect(saved).toHaveBeenCalledOnce());
    expect(saved.mock.calls[0]?.[1]).toMatch(/^\ufeffStart \(s\),.*\n3,9,Phylloscopus collybita,Common Chiffchaff,/);
    await user.click(row(/^20260501/));
    const answer = await screen.findByRole('heading', { level: 1, name: 'Common Chiffchaff (Very likely)' });
    await waitFor(() => expect(document.activeElement).toBe(answer));
    await user.click(row(/^20260501/));
    expect(document.activeElement).toBe(answer);
    await user.click(screen.getByRole('button', { name: 'Clear the list' }));
    const choosing = screen.getByRole('heading', { level: 1, name: 'Which bird was that?' });
    expect(screen.getByText('2 recordings removed.')).toBe(document.activeElement);
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    expect(document.activeElement).toBe(choosing);
    expect(row(/^20260501/).textContent).toBe('20260501_051200.wav Common Chiffchaff Very likely');
  });

  it('shows only the list on a narrow screen, where a row opens its result in place of the list', async () => {
    narrow();
    const { user } = open();
    fireEvent.change(screen.getByLabelText('Recording', { selector: 'input' }), {
      target: { files: [recording, new File(['y'], '20260502_051200.wav')] },
    });
    await user.click(screen.getByRole('button', { name: 'Identify 2 recordings' }));
    const title = await screen.findByRole('heading', { level: 1, name: '2 recordings' });
    expect(document.activeElement).toBe(title);
    const first = await nextRequest();
    act(() => first.answer(200, fakePrediction()));
    const second = await nextRequest();
    act(() => second.answer(422, fakeProblem('RECORDING_DAMAGED', { detail: 'It ends too early.' })));
    await screen.findByText('1 of 2 analysed. One couldn’t be analysed.');
    expect(screen.getAllByRole('heading', { level: 1 })).toEqual([title]);
    expect(document.title).toBe('Detect a bird · Chiffchaff');

    await user.click(screen.getByRole('button', { name: /^20260501/ }));
    const answer = await screen.findByRole('heading', { level: 1, name: 'Common Chiffchaff (Very likely)' });
    expect(document.title).toBe('Common Chiffchaff · Chiffchaff');
    await waitFor(() => expect(document.activeElement).toBe(answer));
    expect(screen.queryByRole('button', { name: /^20260502/ })).toBeNull();
    expect(screen.getByRole('button', { name: 'Previous recording' })).toHaveProperty('disabled', true);
    await user.click(screen.getByRole('button', { name: 'Next recording' }));
    const failure = await screen.findByRole('heading', { level: 1, name: 'That didn’t work' });
    expect(document.activeElement).toBe(failure);
    await user.click(screen.getByRole('button', { name: 'List' }));
    const row = await screen.findByRole('button', { name: /^20260502/ });
    expect(document.activeElement).toBe(row);
    await user.click(screen.getByRole('button', { name: 'Add recordings' }));
    const form = screen.getByRole('heading', { level: 1, name: 'Which bird was that?' });
    expect(document.activeElement).toBe(form);
  });

  it('can undo the removal of single recordings, which come back together where they stood', async () => {
    narrow();
    const { user } = open();
    const files = ['one.wav', 'two.wav', 'three.wav', 'four.wav'].map((name) => new File([name], name));
    fireEvent.change(screen.getByLabelText('Recording', { selector: 'input' }), { target: { files } });
    await user.click(screen.getByRole('button', { name: 'Identify 4 recordings' }));
    const remove = async (name: string) => user.click(await screen.findByRole('button', { name: `Remove ${name}` }));
    await remove('two.wav');
    expect(document.activeElement).toBe(screen.getByText('One recording removed.'));
    await remove('one.wav');
    expect(document.activeElement).toBe(screen.getByText('2 recordings removed.'));
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    const rows = within(screen.getByRole('list', { name: '4 recordings' })).getAllByRole('button', { name: /^Remove/ });
    expect(rows.map((row) => row.title)).toEqual(files.map(({ name }) => `Remove ${name}`));
    expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1, name: '4 recordings' }));
    expect(screen.getByText('2 recordings are back.').getAttribute('role')).toBe('status');
  });

  it('counts a recording once that is chosen again after its removal, and removed again', async () => {
    narrow();
    const { user } = open();
    const files = ['one.wav', 'two.wav'].map((name) => new File([name], name));
    for (let time = 0; time < 2; time += 1) {
      fireEvent.change(screen.getByLabelText('Recording', { selector: 'input' }), { target: { files } });
      await user.click(screen.getByRole('button', { name: 'Identify 2 recordings' }));
      await user.click(await screen.findByRole('button', { name: 'Clear the list' }));
      expect(document.activeElement).toBe(screen.getByText('2 recordings removed.'));
    }
  });

  it('takes those files of a chosen folder that may be recordings, and shows their number and size', async () => {
    Object.defineProperty(HTMLInputElement.prototype, 'webkitdirectory', { configurable: true, value: false });
    const { container } = open();
    Reflect.deleteProperty(HTMLInputElement.prototype, 'webkitdirectory');
    const folder = container.querySelector('input[webkitdirectory]');
    if (!folder) throw new Error('There is no folder picker');
    const files = Array.from({ length: 200 }, (_, index) => new File(['some sound'], `AM_${index}.WAV`));
    fireEvent.change(folder, { target: { files: [...files, new File(['x'], 'CONFIG.TXT'), new File(['x'], '.DS_Store')] } });
    expect(screen.getByRole('list', { name: 'Chosen recordings' }).children).toHaveLength(200);
    expect(screen.getByText('200 recordings, 2 kB', { selector: 'p:not([role])' })).toBeTruthy();
    expect(screen.getByText('2 other files in that folder were skipped: they aren’t recordings.')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Identify 200 recordings' })).toBeTruthy();
  });

  it('does not allow an empty file to be sent, and says what to do instead', async () => {
    const { choose } = open();
    choose(new File([], 'empty.wav'));
    const button = screen.getByRole('button', { name: 'Identify', description: 'Choose another recording first.' });
    expect(button.getAttribute('aria-disabled')).toBe('true');
    choose(recording);
    expect(button.getAttribute('aria-disabled')).toBe('false');
  });

  it('warns about a file that does not look like audio, and lets the server decide', async () => {
    const { user, choose } = open();
    choose(new File(['%PDF'], 'invoice.pdf', { type: 'application/pdf' }));
    choose(
      new File(['PK'], 'homework.docx', { type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' }),
    );
    choose(new File(['x'], 'meadow.mp4', { type: 'video/mp4' }));
    choose(new File(['x'], 'unknown.sound'));
    const items = await screen.findAllByRole('listitem');
    expect(items.map(({ textContent }) => textContent?.includes('This doesn’t look like an audio file.'))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(screen.getAllByRole('alert')).toHaveLength(2); // so that it is also read out
    await user.click(screen.getByRole('button', { name: 'Identify 4 recordings' }));
    expect((await nextRequest()).url).toContain('/get_prediction');
  });

  it('shows HTML in a file name as text', async () => {
    const { choose, container } = open();
    const name = `<img src=x onerror="alert(1)">\u202Egpj.${'a'.repeat(10_000)}.wav`;
    choose(new File(['x'], name));
    expect((await screen.findByText(name)).tagName).toBe('BDI');
    expect(container.querySelector('img')).toBeNull();
  });

  it('says beside the field what is wrong with a coordinate', async () => {
    const { user, choose, listen, openPlace } = open();
    choose(recording);
    await openPlace();
    await user.type(screen.getByLabelText('Latitude'), '95');
    await user.click(screen.getByRole('button', { name: 'Done' }));
    await listen();
    expect(document.activeElement).toBe(screen.getByLabelText('Latitude'));
    expect(screen.getByText('Enter a number between -90 and 90.')).toBeTruthy();
    expect(screen.getByText('Enter both latitude and longitude.')).toBeTruthy();
    expect(screen.getByLabelText('Latitude').getAttribute('aria-invalid')).toBe('true');
    expect(FakeRequest.sent).toHaveLength(0);
  });

  it('reads the device’s position only on request, and rounds it to about a kilometre', async () => {
    const coords = {
      latitude: 50.83279,
      longitude: 12.91876,
      accuracy: 5,
      altitude: null,
      altitudeAccuracy: null,
      heading: null,
      speed: null,
    };
    const getCurrentPosition = vi.fn<Geolocation['getCurrentPosition']>((found) =>
      found({ coords: { ...coords, toJSON: () => coords }, timestamp: 0, toJSON: () => ({}) }),
    );
    Object.defineProperty(navigator, 'geolocation', { configurable: true, value: { getCurrentPosition } });
    const { user, openPlace } = open();
    expect(getCurrentPosition).not.toHaveBeenCalled();
    await user.click(screen.getByRole('button', { name: 'Use my position' }));
    expect(screen.getByText('near 50.83, 12.92')).toBeTruthy();
    await openPlace();
    expect(screen.getByLabelText<HTMLInputElement>('Latitude').value).toBe('50.83');
    expect(screen.getByLabelText<HTMLInputElement>('Longitude').value).toBe('12.92');
  });

  it('finds a place by its name', async () => {
    const { user, openPlace } = open();
    await openPlace();
    expect(document.activeElement).toBe(screen.getByRole('combobox', { name: 'Place' }));
    await pasteInto(user, await screen.findByRole('combobox', { name: 'Place' }), 'Chem');
    const request = await nextRequest();
    expect(request.url).toBe('/v1/places?q=Chem');
    request.answer(200, {
      places: [{ name: 'Chemnitz', region: 'Saxony', countryCode: 'DE', latitude: 50.8357, longitude: 12.9292 }],
      attribution: 'GeoNames, CC BY 4.0',
    });
    expect(await screen.findByText('GeoNames, CC BY 4.0')).toBeTruthy();
    await user.click(await screen.findByRole('option', { name: 'Chemnitz, Saxony, Germany', hidden: true }));
    expect(screen.getByLabelText<HTMLInputElement>('Latitude').value).toBe('50.84');
  });

  const ithacas = [
    { name: 'Ithaca Town', region: 'New York', countryCode: 'US', latitude: 42.5, longitude: -76.51 },
    { name: 'Ithaca', region: 'New York', countryCode: 'US', latitude: 42.4406, longitude: -76.4966 },
    { name: 'Itháki', region: null, countryCode: 'GR', latitude: 38.36, longitude: 20.72 },
  ];
  const attribution = 'GeoNames, CC BY 4.0';

  /** Proceeds until suggestions for the typed text appear. */
  async function typePlace(text: string, places: readonly object[]) {
    const page = open();
    page.choose(recording);
    await page.openPlace();
    const field = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Place' });
    await pasteInto(page.user, field, text);
    const answer = async () => {
      (await nextRequest()).answer(200, { places, attribution });
      if (places.length > 0) await screen.findAllByRole('option', { hidden: true });
    };
    return { ...page, field, answer };
  }
  const latitude = () => screen.getByLabelText<HTMLInputElement>('Latitude').value;

  it.each([
    ['ithaca', '42.44'],
    ['Itha', '42.5'],
  ])(
    'takes, when the user leaves the field, the place with exactly the typed name, or else the first one found: %s',
    async (text, degrees) => {
      const { user, field, answer } = await typePlace(text, ithacas);
      await answer();
      await user.tab();
      expect(latitude()).toBe(degrees);
      expect(field.value).toContain('New York, United States');
    },
  );

  it('takes a place when Enter is pressed, which does not send the form', async () => {
    const { user, answer, listen } = await typePlace('Ithaca', ithacas);
    await answer();
    await user.keyboard('{Enter}');
    expect(latitude()).toBe('42.44');
    await user.keyboard('{Enter}');
    expect(FakeRequest.sent).toHaveLength(0);
    await listen();
    const { body } = await nextRequest();
    if (!(body instanceof FormData)) throw new Error('The body is no form');
    expect(body.get('latitude')).toBe('42.44');
  });

  it('takes the suggested place that is reached with the arrow keys or clicked', async () => {
    const { user, field, answer } = await typePlace('Ithaca', ithacas);
    await answer();
    await user.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}');
    await user.tab();
    expect(latitude()).toBe('38.36');
    await user.clear(field);
    expect(latitude()).toBe('');
    await pasteInto(user, field, 'Ithaca');
    await user.click(await screen.findByRole('option', { name: /Itháki/, hidden: true }));
    expect(latitude()).toBe('38.36');
  });

  it('takes a suggested place even if the server answers after the user has left the field', async () => {
    const { user, field, answer } = await typePlace('Ithaca', ithacas);
    await user.tab();
    expect(latitude()).toBe('');
    await answer().catch(() => {});
    await waitFor(() => expect(latitude()).toBe('42.44'));
    expect(field.value).toBe('Ithaca, New York, United States');
  });

  it('says that there is no such town, and sends nothing while the typed name is not a known place', async () => {
    const { user, field, answer, listen } = await typePlace('Nowherebury', []);
    await answer();
    await waitFor(() =>
      expect(screen.getByText('No town found. You can also enter coordinates.').getAttribute('role')).toBe('status'),
    );
    await listen();
    expect(screen.getByText('Choose a place from the list, or clear the field.')).toBeTruthy();
    expect(document.activeElement).toBe(field);
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(FakeRequest.sent).toHaveLength(0);
    await user.type(field, '?');
    expect(field.getAttribute('aria-invalid')).toBe('false');
    await user.clear(field);
    await listen();
    const { url } = await nextRequest();
    expect(url).not.toContain('places');
  });
});

describe('Sending and analysing on the Detect Bird screen', () => {
  it('sends the recording with its place, date and settings', async () => {
    const { request } = await send();
    if (!(request.body instanceof FormData)) throw new Error('The body is no form');
    expect(Object.fromEntries([...request.body].filter(([name]) => name !== 'file'))).toEqual({
      date: '2026-05-01',
      language: 'en_us',
    });
  });

  it('shows the progress in words and percent', async () => {
    const { request } = await send();
    const bar = screen.getByRole('progressbar', { name: 'Uploading your recording' });
    act(() => request.progress(43, 100));
    await waitFor(() => expect(bar.getAttribute('aria-valuenow')).toBe('43'));
    expect(screen.getByText('43% uploaded')).toBeTruthy();
    expect(screen.getByRole('status').textContent).toBe('43% uploaded');
    act(() => request.progress(100, 100));
    expect(await screen.findByRole('heading', { name: 'Analysing your recording' })).toBeTruthy();
    expect(screen.getByRole('status').textContent).toBe('In progress…');
  });

  it('leaves no button on the screen that could send the recording twice', async () => {
    await send();
    expect(screen.queryByRole('button', { name: 'Identify' })).toBeNull();
    expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Cancel']);
  });

  it('ends the request when the user cancels, and keeps the chosen file', async () => {
    const { user, request, log } = await send();
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(request.wasAborted).toBe(true);
    expect(screen.getByText(recording.name)).toBeTruthy();
    expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 }));
    expect(log).not.toHaveBeenCalled();
  });
});

describe('A failure on the Detect Bird screen', () => {
  it('is shown as a sentence without a code that takes the focus, and is logged once', async () => {
    const { request, log } = await send();
    act(() => request.answer(422, fakeProblem('RECORDING_DAMAGED', { detail: 'This looks like WAV but it ends too early.' })));
    expect((await screen.findByRole('alert')).textContent).toBe('This looks like WAV but it ends too early.');
    expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1, name: 'That didn’t work' }));
    expect(screen.getByText(recording.name).tagName).toBe('BDI');
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
    expect(log).toHaveBeenCalledTimes(1);
  });

  it('offers another try with the same recording if the server could not be reached', async () => {
    const { user, request } = await send();
    act(() => request.breakOff('network'));
    expect((await screen.findByRole('alert')).textContent).toContain('can’t be reached');
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    (await nextRequest()).answer(200, fakePrediction());
    expect(await screen.findByRole('heading', { level: 1, name: 'Common Chiffchaff (Very likely)' })).toBeTruthy();
  });

  it('leads to the choice of another recording, without the one that failed', async () => {
    const { user, request } = await send();
    act(() => request.answer(422, fakeProblem('RECORDING_DAMAGED')));
    await user.click(await screen.findByRole('button', { name: 'Choose another recording' }));
    expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1, name: 'Which bird was that?' }));
    expect(screen.queryByText(recording.name)).toBeNull();
  });

  it('says how long a busy server asks to wait', async () => {
    const { request } = await send();
    act(() => request.answer(503, fakeProblem('SERVER_BUSY', { status: 503, retryable: true }), { 'retry-after': '12' }));
    expect((await screen.findByRole('alert')).textContent).toContain('wait 12 seconds');
  });

  it('is logged to the console as “The prediction failed:” with its message', async () => {
    const { user } = renderPage(<DetectionScreen />, { at: '/process' });
    fireEvent.change(screen.getByLabelText('Recording', { selector: 'input' }), { target: { files: [recording] } });
    await user.click(screen.getByRole('button', { name: 'Identify' }));
    const request = await nextRequest();
    act(() => request.breakOff('network'));
    await screen.findByRole('alert');
    expect(takeConsoleErrors()).toEqual([['The prediction failed:', 'Network Error']]);
    await user.click(screen.getByRole('button', { name: 'Choose another recording' }));
  });
});

const StoredPrediction = () => `stored as ${useParams().id}`;

/** Another queue at the same address is all that is left after a reload. */
function ReloadedPage() {
  const [queue, setQueue] = useState(() => createPredictionQueue(vi.fn()));
  const [load, setLoad] = useState(0);
  const reload = () => {
    setQueue(createPredictionQueue(vi.fn()));
    setLoad(load + 1);
  };
  return (
    <>
      <Link to="/process">Detect Bird</Link>
      <button type="button" onClick={reload}>
        Reload
      </button>
      <output aria-label="Remembered">{useLocation().state?.results}</output>
      <Routes>
        <Route path="/process" element={<DetectionScreen key={load} queue={queue} />} />
        <Route path="/history/:id" element={<StoredPrediction />} />
        <Route path="/history" element="all that are stored" />
      </Routes>
    </>
  );
}

describe('A result on the Detect Bird screen', () => {
  it('of a visitor can be saved to an account after sign-in, which sends the recording again', async () => {
    const { user, signIn, request } = await send();
    const reviews = () => screen.queryAllByRole('toolbar', { name: 'Is Common Chiffchaff right?' }).length;
    act(() => request.answer(200, fakePrediction()));
    await screen.findByRole('heading', { level: 1, name: 'Common Chiffchaff (Very likely)' });
    expect(
      screen.getByText(
        /^This result isn’t saved\. It’ll be gone when you close this tab\. Saving it uploads the recording again\.$/,
      ),
    ).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Sign in to save or correct it' }).getAttribute('href')).toBe('/login');
    await signIn();
    // Only predictions that an account keeps can be corrected.
    expect(reviews()).toBe(0);
    await user.click(screen.getByRole('button', { name: 'Save to my history' }));
    const again = await nextPrediction();
    expect(again.requestHeaders.authorization).toBe('Bearer u1.token');
    expect(again.requestHeaders['idempotency-key']).not.toBe(request.requestHeaders['idempotency-key']);
    if (!(again.body instanceof FormData)) throw new Error('The body is no form');
    expect(again.body.get('file')).toMatchObject({ name: recording.name });
    act(() => again.answer(200, fakePrediction()));
    await screen.findByRole('heading', { level: 1, name: 'Common Chiffchaff (Very likely)' });
    expect(screen.queryByText(/isn’t in your history|isn’t saved/)).toBeNull();
    expect(reviews()).toBeGreaterThan(0);
  });

  it('of a visitor can be had for another place and date, for which the recording is sent again', async () => {
    const { user, request } = await send();
    act(() => request.answer(200, fakePrediction()));
    await user.click(await screen.findByText('Change place'));
    expect(screen.getByText(/so updating uploads it again/)).toBeTruthy();
    fireEvent.change(screen.getByLabelText('Latitude'), { target: { value: '40' } });
    fireEvent.change(screen.getByLabelText('Longitude'), { target: { value: '-74' } });
    fireEvent.change(screen.getByLabelText('Date of the recording'), { target: { value: '2026-05-02' } });
    fireEvent.change(screen.getByRole('slider', { name: /^Detection threshold/ }), { target: { value: '0.5' } });
    await user.click(screen.getByRole('button', { name: 'Update result' }));
    const again = await nextPrediction();
    expect(again.requestHeaders['idempotency-key']).not.toBe(request.requestHeaders['idempotency-key']);
    if (!(again.body instanceof FormData)) throw new Error('The body is no form');
    expect(Object.fromEntries(again.body)).toMatchObject({
      ...{ latitude: '40', longitude: '-74', placeSource: 'stated', date: '2026-05-02', minScore: '0.5', language: 'en' },
      file: { name: recording.name },
    });
    const conditions = { ...fakePrediction().conditions, latitude: 40, longitude: -74 };
    act(() => again.answer(200, fakePrediction({ id: 'p-2', conditions })));
    expect(await screen.findByText(/^Place: near 40, -74/)).toBeTruthy();
  });

  it('of a visitor who signs in to save it is saved without another click, and the page says so', async () => {
    const { user, signIn, request } = await send();
    act(() => request.answer(200, fakePrediction()));
    await screen.findByRole('heading', { level: 1, name: 'Common Chiffchaff (Very likely)' });
    await user.click(screen.getByRole('link', { name: 'Sign in to save or correct it' }));
    await signIn();
    const again = await nextPrediction();
    expect(again.requestHeaders.authorization).toBe('Bearer u1.token');
    act(() => again.answer(200, fakePrediction()));
    expect(await screen.findByText('Saved to your history.')).toBeTruthy();
  });

  it('of a visitor is still there after a reload, until the visitor removes it', async () => {
    const { request, unmount } = await send();
    act(() => request.answer(200, fakePrediction()));
    await screen.findByRole('heading', { level: 1, name: 'Common Chiffchaff (Very likely)' });
    unmount();
    const { user } = open();
    await screen.findByRole('heading', { level: 1, name: 'Common Chiffchaff (Very likely)' });
    expect(screen.getByText(/^This result isn’t saved. The page was reloaded/)).toBeTruthy();
    expect(screen.queryByText('Change place')).toBeNull();
    expect(screen.queryByRole('link', { name: 'Sign in to save or correct it' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Try another recording' }));
    expect(screen.getByRole('heading', { level: 1, name: 'Which bird was that?' })).toBeTruthy();
    expect(keptAnswersOf(null)).toHaveLength(1);
    await user.click(await screen.findByRole('button', { name: 'Remove morning.wav' }));
    expect(keptAnswersOf(null)).toEqual([]);
  });

  it('is replaced by the form when Detect Bird is chosen again in the menu', async () => {
    const { user } = renderPage(
      <>
        <Link to="/process">Detect Bird</Link>
        <DetectionScreen queue={createPredictionQueue(vi.fn())} />
      </>,
      { at: '/process' },
    );
    fireEvent.change(screen.getByLabelText('Recording', { selector: 'input' }), { target: { files: [recording] } });
    await user.click(screen.getByRole('button', { name: 'Identify' }));
    const request = await nextRequest();
    act(() => request.answer(200, fakePrediction()));
    await screen.findByRole('heading', { level: 1, name: 'Common Chiffchaff (Very likely)' });
    await user.click(screen.getByRole('link', { name: 'Detect Bird' }));
    expect(screen.getByRole('heading', { level: 1, name: 'Which bird was that?' })).toBeTruthy();
    // Nothing is lost that is not saved.
    await user.click(await screen.findByRole('button', { name: /^20260501_051200\.wav/ }));
    expect(screen.getByRole('heading', { level: 1, name: 'Common Chiffchaff (Very likely)' })).toBeTruthy();
  });

  it('of an account leads to the stored result after a reload, or from several to the history, unless another recording was wanted', async () => {
    const { user, signIn } = renderPage(<ReloadedPage />, { at: '/process' });
    await signIn();
    const reload = () => user.click(screen.getByRole('button', { name: 'Reload' }));
    const remembers = (address: string) =>
      waitFor(() => expect(screen.getByRole('status', { name: 'Remembered' }).textContent).toBe(address));
    const predict = async () => {
      fireEvent.change(screen.getByLabelText('Recording', { selector: 'input' }), { target: { files: [recording] } });
      await user.click(screen.getByRole('button', { name: 'Identify' }));
      const request = await nextPrediction();
      act(() => request.answer(200, fakePrediction()));
      await screen.findByRole('heading', { level: 1, name: 'Common Chiffchaff (Very likely)' });
      await remembers(`/history/${fakePrediction().id}`);
    };
    const choosesAnother = async () => {
      await user.click(screen.getByRole('link', { name: 'Detect Bird' }));
      await screen.findByRole('heading', { level: 1, name: 'Which bird was that?' });
      await remembers('');
    };
    await predict();
    await reload();
    await screen.findByText(`stored as ${fakePrediction().id}`);
    await choosesAnother();
    await predict();
    await choosesAnother();
    await reload();
    await screen.findByRole('heading', { level: 1, name: 'Which bird was that?' });
    const files = [recording, new File(['dusk'], 'dusk.wav')];
    fireEvent.change(screen.getByLabelText('Recording', { selector: 'input' }), { target: { files } });
    await user.click(screen.getByRole('button', { name: 'Identify 2 recordings' }));
    for (const id of ['one', 'two']) {
      const request = await nextPrediction();
      act(() => request.answer(200, fakePrediction({ id })));
    }
    await remembers('/history');
    await reload();
    await screen.findByText('all that are stored');
  });

  it('takes the focus, credits the model, and leads on to another recording', async () => {
    const { user, request } = await send();
    act(() => request.answer(200, fakePrediction()));
    const heading = await screen.findByRole('heading', { level: 1, name: 'Common Chiffchaff (Very likely)' });
    expect(document.activeElement).toBe(heading);
    expect(screen.getByText(/Powered by BirdNET · CC-BY-NC-SA-4.0/)).toBeTruthy();
    await screen.findByText(/This browser can’t read this type of file/);
    await user.click(screen.getByRole('button', { name: 'Try another recording' }));
    expect(screen.getByRole('heading', { level: 1, name: 'Which bird was that?' })).toBeTruthy();
    // The name is still listed among what isn’t saved; the form no longer holds it.
    expect(await screen.findByRole('button', { name: /^20260501_051200\.wav/ })).toBeTruthy();
    expect(within(screen.getByRole('group', { name: 'Recording' })).queryByText(recording.name)).toBeNull();
  });

  it('is followed by a form for the next recording that already has its place, with the name', async () => {
    const { user, choose, listen, openPlace } = open();
    choose(recording);
    await openPlace();
    await pasteInto(user, await screen.findByRole('combobox', { name: 'Place' }), 'Chem');
    (await nextRequest()).answer(200, {
      places: [{ name: 'Chemnitz', region: 'Saxony', countryCode: 'DE', latitude: 50.8357, longitude: 12.9292 }],
      attribution: 'GeoNames, CC BY 4.0',
    });
    await user.click(await screen.findByRole('option', { name: 'Chemnitz, Saxony, Germany', hidden: true }));
    await listen();
    const conditions = { ...fakePrediction().conditions, latitude: 50.84, longitude: 12.93 };
    const request = await nextRequest();
    act(() => request.answer(200, fakePrediction({ conditions })));
    expect(await screen.findByText('Chemnitz, Saxony, Germany (50.84, 12.93)')).toBeTruthy();
    await screen.findByText(/This browser can’t read this type of file/);
    await user.click(screen.getByRole('button', { name: 'Try another recording' }));
    choose(recording);
    expect(await screen.findByText('near Chemnitz, early May')).toBeTruthy();
    await listen();
    const { body } = await nextRequest();
    if (!(body instanceof FormData)) throw new Error('The body is no form');
    expect([body.get('latitude'), body.get('longitude')]).toEqual(['50.84', '12.93']);
  });
});

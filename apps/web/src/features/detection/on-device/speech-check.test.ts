import { eventually } from '@chiffchaff/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deviceModel } from '../../../platform/on-device/device-model.ts';
import { rememberDeviceModel } from '../../../platform/on-device/installed-hint.ts';
import * as speech from '../../../platform/speech/check-speech.ts';
import { preferences } from '../../../platform/storage/preferences.ts';
import { createSpeechCheck } from './speech-check.ts';

const walk = new File(['a walk'], 'walk.wav');
const silenced = new File(['silenced'], 'walk.wav');
const spans = [{ startSeconds: 12, endSeconds: 20 }];
let looking = vi.spyOn(speech, 'checkSpeech');

beforeEach(() => {
  rememberDeviceModel(true);
  preferences.change({ checkSpeech: true });
  vi.spyOn(deviceModel, 'snapshot').mockReturnValue({ kind: 'installed', bytes: 1, hasUpdate: false });
  looking = vi.spyOn(speech, 'checkSpeech').mockResolvedValue(spans);
});
afterEach(() => {
  rememberDeviceModel(false);
  preferences.change({ checkSpeech: true });
});

function start() {
  const check = createSpeechCheck();
  const controller = new AbortController();
  const onSpeechCheck = vi.fn();
  const send = (file: File) => check.fileToSend(file, { signal: controller.signal, onSpeechCheck });
  const question = async () => {
    await eventually(() => expect(check.snapshot()).not.toBeNull());
    return check.snapshot();
  };
  return { check, controller, onSpeechCheck, send, question };
}

describe('The search for speech before a recording is sent', () => {
  it('asks nothing if nobody speaks', async () => {
    looking.mockResolvedValue([]);
    const { check, send, onSpeechCheck } = start();
    expect(await send(walk)).toBe(walk);
    expect(onSpeechCheck).toHaveBeenCalledWith(0);
    expect(check.snapshot()).toBeNull();
  });

  it('shows before anything else happens to the recording', () => {
    const { send, onSpeechCheck } = start();
    void send(walk);
    expect(onSpeechCheck).toHaveBeenCalledExactlyOnceWith(0);
  });

  it('asks what to send if a voice is heard in the recording, and reuses the answer when the recording is sent again', async () => {
    const { check, send, question } = start();
    const sending = send(walk);
    const asked = await question();
    expect(asked?.recordings).toEqual([{ file: walk, speech: spans }]);
    asked?.answer([silenced]);
    expect(await sending).toBe(silenced);
    expect(check.snapshot()).toBeNull();
    expect(await send(walk)).toBe(silenced);
    expect(looking).toHaveBeenCalledTimes(1);
  });

  it('asks again about a recording that the user chose not to send the last time', async () => {
    const { send, question } = start();
    for (const time of [1, 2]) {
      const sending = send(walk);
      (await question())?.answer([null]);
      expect(await sending).toBeNull();
      expect(looking).toHaveBeenCalledTimes(time);
    }
  });

  it('asks about a recording that could not be searched, and sends what the user chooses', async () => {
    looking.mockRejectedValue(new Error('made up'));
    const { send, question } = start();
    const sending = send(walk);
    const asked = await question();
    expect(asked?.recordings).toEqual([{ file: walk, speech: null }]);
    asked?.answer([walk]);
    expect(await sending).toBe(walk);
  });

  it('ends when it is skipped, and the recording is sent as it is', async () => {
    looking.mockImplementation((_file, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', reject)));
    const { check, send } = start();
    const sending = send(walk);
    await eventually(() => expect(looking).toHaveBeenCalled());
    check.skip();
    expect(await sending).toBe(walk);
  });

  it('takes its question back when the recording is cancelled', async () => {
    const { check, controller, send, question } = start();
    const sending = send(walk);
    await question();
    controller.abort();
    expect(await sending).toBeNull();
    expect(check.snapshot()).toBeNull();
  });

  it('does not ask about a file that is no sound, which the server refuses', async () => {
    looking.mockRejectedValue(new Error('not a recording'));
    const letter = new File(['hello'], 'letter.docx', { type: 'application/msword' });
    const { check, send } = start();
    expect(await send(letter)).toBe(letter);
    expect(check.snapshot()).toBeNull();
  });

  it('asks about one recording after another', async () => {
    const { check, send, question } = start();
    const other = new File(['dawn'], 'dawn.wav');
    const sending = Promise.all([send(walk), check.ask([{ file: other, speech: spans }])]);
    const first = await question();
    first?.answer([null]);
    await eventually(() => expect(check.snapshot()?.id).toBe((first?.id ?? 0) + 1));
    (await question())?.answer([other]);
    await sending;
    expect(check.snapshot()).toBeNull();
  });

  it.each([
    ['the person does not want it', () => preferences.change({ checkSpeech: false })],
    ['this device has no model', () => vi.spyOn(deviceModel, 'snapshot').mockReturnValue({ kind: 'absent', bytes: 1 })],
  ])('does not take place if %s', async (_why, arrange) => {
    arrange();
    const { check, send } = start();
    expect(await send(walk)).toBe(walk);
    expect(await check.ask([{ file: walk, speech: spans }])).toEqual([walk]);
    expect(looking).not.toHaveBeenCalled();
  });
});

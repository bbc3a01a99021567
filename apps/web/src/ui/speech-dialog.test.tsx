import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import * as speech from '../platform/speech/check-speech.ts';
import { SpeechDialog, type ToBeSent } from './speech-dialog.tsx';

const walk = new File(['a walk'], 'walk.wav');
const dawn = new File(['dawn'], 'dawn.wav');
const silenced = new File(['silenced bytes'], 'walk.wav');
const spans = [
  { startSeconds: 12, endSeconds: 20 },
  { startSeconds: 61, endSeconds: 65.5 },
];

function open(...recordings: readonly ToBeSent[]) {
  const silence = vi.fn(async () => silenced);
  const onDone = vi.fn();
  const { unmount } = render(<SpeechDialog recordings={recordings} silence={silence} onDone={onDone} onCancel={() => {}} />);
  const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
  return { silence, onDone, press, unmount };
}

describe('The dialog about speech before recordings are sent', () => {
  it('says where there is speech and the size without it, and returns what is to be sent', async () => {
    const { silence, onDone, press } = open({ file: walk, speech: spans });
    expect(screen.getByRole('alert').textContent).toBe('Someone speaks from 0:12 to 0:20 and from 1:01 to 1:06.');
    expect(screen.getByText(/Speech can be missed/)).toBeTruthy();
    expect((await screen.findByText(/a WAV file of/)).textContent).toContain('14 bytes');
    expect(silence).toHaveBeenCalledExactlyOnceWith(walk, spans);
    await press('Silence those seconds');
    expect(onDone).toHaveBeenCalledExactlyOnceWith([silenced]);
  });

  it('searches a recording for speech if that was not done before, and does not open if there is none', async () => {
    vi.spyOn(speech, 'checkSpeech').mockImplementation(async (file) => (file === walk ? spans : []));
    const { onDone, press } = open({ file: dawn, speech: null }, { file: walk, speech: null }, { file: dawn, speech: null });
    await screen.findByText(/Someone speaks/);
    expect(screen.getByText('walk.wav')).toBeTruthy();
    await press('Upload it as it is');
    await waitFor(() => expect(onDone).toHaveBeenCalledExactlyOnceWith([dawn, walk, dawn]));
  });

  it('lets the user leave one recording out, and goes on to the next', async () => {
    const { onDone, press } = open({ file: walk, speech: spans }, { file: dawn, speech: spans });
    await press('Don’t upload it');
    expect(screen.getByText('dawn.wav')).toBeTruthy();
    await press('Don’t upload it');
    expect(onDone).toHaveBeenCalledExactlyOnceWith([null, null]);
  });

  it('sends every recording unchanged and stops searching for speech when the user skips it', async () => {
    const looking = vi.spyOn(speech, 'checkSpeech').mockImplementation(() => new Promise(() => {}));
    const { onDone, press, unmount } = open({ file: walk, speech: null }, { file: dawn, speech: null });
    await press('Skip');
    expect(onDone).toHaveBeenCalledExactlyOnceWith([walk, dawn]);
    unmount();
    expect(looking).toHaveBeenCalledTimes(1);
    expect(looking.mock.calls[0]?.[1].signal.aborted).toBe(true);
  });

  it('says if a recording could not be checked for speech', async () => {
    vi.spyOn(speech, 'checkSpeech').mockRejectedValue(new Error('made up'));
    const { onDone, press } = open({ file: walk, speech: null });
    expect((await screen.findByRole('alert')).textContent).toBe('This recording couldn’t be checked for speech.');
    expect(screen.queryByRole('button', { name: 'Silence those seconds' })).toBeNull();
    await press('Don’t upload it');
    expect(onDone).toHaveBeenCalledExactlyOnceWith([null]);
  });
});

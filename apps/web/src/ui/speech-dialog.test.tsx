import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { type Heard, SpeechDialog } from './speech-dialog.tsx';

const walk = new File(['a walk'], 'walk.wav');
const dawn = new File(['dawn'], 'dawn.wav');
const silenced = new File(['silenced bytes'], 'walk.wav');
const spans = [
  { startSeconds: 12, endSeconds: 20 },
  { startSeconds: 61, endSeconds: 65.5 },
];

function open(...recordings: readonly Heard[]) {
  const silence = vi.fn(async () => silenced);
  const onDone = vi.fn();
  render(<SpeechDialog recordings={recordings} silence={silence} onDone={onDone} onCancel={() => {}} />);
  const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
  return { silence, onDone, press };
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

  it('lets the user leave one recording out, and goes on to the next', async () => {
    const { onDone, press } = open({ file: walk, speech: spans }, { file: dawn, speech: spans });
    await press('Don’t upload it');
    expect(screen.getByText('dawn.wav')).toBeTruthy();
    await press('Don’t upload it');
    expect(onDone).toHaveBeenCalledExactlyOnceWith([null, null]);
  });

  it('says if a recording could not be checked for speech', async () => {
    const { onDone, press } = open({ file: walk, speech: null });
    expect(screen.getByRole('alert').textContent).toBe('This recording couldn’t be checked for speech.');
    expect(screen.queryByRole('button', { name: 'Silence those seconds' })).toBeNull();
    await press('Don’t upload it');
    expect(onDone).toHaveBeenCalledExactlyOnceWith([null]);
  });
});

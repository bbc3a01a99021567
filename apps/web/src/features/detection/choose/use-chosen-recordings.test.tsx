import { fireEvent } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { renderAbandoned } from '../../../testing/render-abandoned.tsx';
import { usePastedOrDroppedFiles } from './use-chosen-recordings.ts';

function Taker({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  usePastedOrDroppedFiles(onFiles);
  return null;
}

it('Recordings pasted into the page go to the screen that is shown, not to one that React discarded', async () => {
  const [shown, abandoned] = [vi.fn(), vi.fn()];
  await renderAbandoned(<Taker onFiles={shown} />, <Taker onFiles={abandoned} />);
  const recording = new File(['x'], 'dawn.wav');
  fireEvent.paste(window, { clipboardData: { files: [recording] } });
  expect(abandoned).not.toHaveBeenCalled();
  expect(shown).toHaveBeenCalledExactlyOnceWith([recording]);
});

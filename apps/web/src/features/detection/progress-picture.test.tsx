import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { AnalysisReport } from '../../platform/sending/request-prediction.ts';
import { lookQuery } from './choose/use-chosen-recordings.ts';
import { ProgressPicture } from './progress-stage.tsx';

beforeEach(() => {
  vi.stubGlobal(
    'OfflineAudioContext',
    class {
      decodeAudioData = () => new Promise(() => {});
    },
  );
  vi.stubGlobal(
    'ResizeObserver',
    class {
      readonly #tell: (entries: unknown[]) => void;
      constructor(tell: (entries: unknown[]) => void) {
        this.#tell = tell;
      }
      observe = () => this.#tell([{ contentRect: { width: 600, height: 152 } }]);
      disconnect() {}
    },
  );
});

const recording = new File(['x'], 'morning.wav');
/** As the page's own: files are read without a connection, too. */
const queries = new QueryClient({ defaultOptions: { queries: { networkMode: 'always' } } });
beforeEach(() => queries.clear());
const wrapper = ({ children }: { readonly children: ReactNode }) => (
  <QueryClientProvider client={queries}>{children}</QueryClientProvider>
);
const heard = (commonName: string, startSeconds: number): AnalysisReport['detections'][number] => ({
  ...{ commonName, scientificName: `Avis ${commonName}`, startSeconds, endSeconds: startSeconds + 3, score: 0.9 },
});

it('The picture of a recording that is being analysed is drawn up to what has been analysed, with names where birds were first heard', async () => {
  queries.setQueryData(lookQuery(recording).queryKey, { hindrance: null, durationSeconds: 60 });
  const { container, rerender } = render(<ProgressPicture recording={recording} fraction={0.25} heard={[heard('Wren', 6)]} />, {
    wrapper,
  });
  const left = async (name: string) => (await screen.findByText(name)).style.left;
  const hidden = () => container.querySelector('canvas')?.style.clipPath;
  expect(await left('Wren')).toBe('10%');
  expect(hidden()).toBe('inset(0 75% 0 0)');
  rerender(<ProgressPicture recording={recording} fraction={1} heard={[heard('Wren', 6), heard('Robin', 30)]} />);
  expect([await left('Wren'), await left('Robin')]).toEqual(['10%', '50%']);
  expect(hidden()).toBe('inset(0 0% 0 0)');
});

it('The picture of a recording that is being analysed is missing if the browser cannot draw the recording', async () => {
  queries.setQueryData(lookQuery(recording).queryKey, { hindrance: 'tooLong', durationSeconds: 4000 });
  const { container } = render(<ProgressPicture recording={recording} fraction={0.5} heard={[heard('Wren', 6)]} />, { wrapper });
  await act(async () => {});
  expect(container.innerHTML).toBe('');
});

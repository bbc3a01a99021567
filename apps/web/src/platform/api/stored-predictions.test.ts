import axios from 'axios';
import { expect, it } from 'vitest';
import { fakePrediction } from '../../testing/fake-data.ts';
import { readWorkInHand, type WorkInHand } from './stored-predictions.ts';

const work = (id: number) => ({
  id: `${id}`,
  createdAt: '2026-05-01T05:12:44Z',
  fileName: null,
  stage: 'listening',
  fraction: 0.5,
  behindOthers: false,
});

it('The page remembers the final states of only the latest recordings, however long it is open', async () => {
  let latest = 0;
  const http = axios.create({
    adapter: async (config) => {
      const list = { predictions: [], cursor: null, inWork: [work(latest)], failed: [] };
      const data = config.url === '/v1/predictions' ? list : { state: 'done', prediction: fakePrediction(), keptAudio: null };
      return { data, status: 200, statusText: '', headers: {}, config };
    },
  });
  let known: WorkInHand | null = null;
  for (; latest < 60; latest += 1) known = await readWorkInHand(http, known, new AbortController().signal);
  expect(known?.ended).toHaveLength(50);
  expect(known?.ended[0]?.id).toBe('58');
});

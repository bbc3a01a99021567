import type { ConfidenceWord, Detection, Prediction } from '@chiffchaff/contract';
import { screen, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { fakeNamedBird, fakePrediction } from '../../../../testing/fake-data.ts';
import { renderPage } from '../../../../testing/render-page.tsx';
import { PlayPassage } from '../play-button.tsx';
import { activityOf } from './activity.ts';
import { DetectionsSection } from './detections-section.tsx';

const heard = (commonName: string, startSeconds: number, confidence: number, seconds = 3): Detection => ({
  ...{ commonName, scientificName: `Avis ${commonName}`, startSeconds, endSeconds: startSeconds + seconds },
  ...{ score: 0.5, confidence },
});
const hour = (...detections: readonly Detection[]): Prediction =>
  fakePrediction({ detections: [...detections], recording: { ...fakePrediction().recording, durationSeconds: 3600 } });
const play = vi.fn();
const show = (prediction: Prediction) =>
  renderPage(
    <PlayPassage value={play}>
      <DetectionsSection prediction={prediction} isKept={false} />
    </PlayPassage>,
  );
const names = () =>
  screen.queryAllByRole('heading', { level: 3 }).map((name) => within(name).getByRole('button').textContent?.slice(2));

describe('the activity of a species', () => {
  it('is counted in 24 columns, a detection in each that it reaches into', () => {
    const [wren] = activityOf(hour(heard('Wren', 0, 0.6), heard('Wren', 148, 0.9), heard('Wren', 3598, 0.7, 2)));
    expect(wren?.columns.slice(0, 3)).toEqual([2, 1, 0]);
    expect(wren?.columns.at(-1)).toBe(1);
    expect(wren?.columns).toHaveLength(24);
    expect(wren).toMatchObject({ firstSeconds: 0, best: { startSeconds: 148 } });
  });

  it('ends where the detection ends: the border of a column belongs to the next one', () => {
    expect(activityOf(hour(heard('Wren', 147, 0.6)))[0]?.columns.slice(0, 2)).toEqual([1, 0]);
  });
});

describe('the detections of a long recording', () => {
  const named = (commonName: string, confidence: number, confidenceWord: ConfidenceWord) =>
    fakeNamedBird({ commonName, scientificName: `Avis ${commonName}`, confidence, confidenceWord });
  const detected = hour(
    ...Array.from({ length: 130 }, (_, index) => heard('Wren', 10 + index * 20, 0.5 + index / 1000)),
    heard('Robin', 2000, 0.95),
    heard('Dunnock', 5, 0.72),
  );
  // The confidence over nine seconds may be lower or higher than that of the call alone.
  const prediction: Prediction = {
    ...detected,
    candidates: [],
    verdict: {
      ...detected.verdict,
      kind: 'several',
      named: [named('Wren', 0.71, 'likely'), named('Robin', 0.92, 'veryLikely'), named('Merlin', 0.55, 'perhaps')],
    },
  };

  it('are the species first, with count, first time, best moment and activity', async () => {
    const { user } = show(prediction);
    expect(names()).toEqual(['Robin', 'Wren']);
    const wren = screen.getByRole('button', { name: 'Wren' }).closest('li') as HTMLElement;
    expect(wren.textContent).toContain('Likely, 71% · 130 detections · first heard at 0:10');
    expect(within(wren).getByRole('img', { name: /^Wren: heard in 18 of 24 parts/ })).toBeTruthy();
    await user.click(within(wren).getByRole('button', { name: /^Play the best moment of Wren/ }));
    expect(play).toHaveBeenCalledExactlyOnceWith(2590, 2593);
    expect(screen.queryByRole('table')).toBeNull();
    expect(screen.getByText('Heard, but in no single moment above the threshold: Merlin.')).toBeTruthy();
  });

  it('open below their species, some at a time, by time or the surest first', async () => {
    const { user } = show(prediction);
    await user.click(screen.getByRole('button', { name: 'Wren' }));
    const table = screen.getByRole('table', { name: 'Detections of Wren' });
    const rows = () => within(table).getAllByRole('row').slice(1);
    expect(rows()).toHaveLength(20);
    expect(rows()[0]?.textContent).toContain('0:10.0–0:13.0');
    await user.click(within(table).getByRole('button', { name: 'This moment alone' }));
    expect(rows()[0]?.textContent).toContain('43:10.0–43:13.0');
    expect(within(table).getByRole('columnheader', { name: 'This moment alone' }).getAttribute('aria-sort')).toBe('descending');
    await user.click(screen.getByRole('button', { name: 'Show 100 more of 130 detections' }));
    await user.click(screen.getByRole('button', { name: 'Show all 130 detections' }));
    expect(rows()).toHaveLength(130);
  });

  it('are found by name, sorted, and those less certain are there when they are wanted', async () => {
    const { user } = show(prediction);
    await user.selectOptions(screen.getByLabelText('Sort by'), 'Number of detections');
    expect(names()).toEqual(['Wren', 'Robin']);
    await user.click(screen.getByRole('checkbox', { name: 'Include one less certain bird' }));
    expect(screen.getByRole('button', { name: 'Dunnock' }).closest('li')?.textContent).toContain('Less certain · one detection');
    await user.selectOptions(screen.getByLabelText('Sort by'), 'First heard');
    expect(names()).toEqual(['Dunnock', 'Wren', 'Robin']);
    await user.type(screen.getByLabelText('Find a bird'), 'avis ro');
    expect(names()).toEqual(['Robin']);
    expect(screen.getByText('One bird.')).toBeTruthy();
  });

  it('of a short recording are a table', () => {
    show(fakePrediction());
    expect(within(screen.getByRole('table', { name: 'All detections' })).getAllByRole('row')).toHaveLength(3);
    expect(screen.queryByLabelText('Find a bird')).toBeNull();
  });
});

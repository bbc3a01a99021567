import type { ConfidenceWord, Detection, Prediction } from '@chiffchaff/contract';
import { screen, within } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { fakeNamedBird, fakePrediction } from '../../../../testing/fake-data.ts';
import { renderPage } from '../../../../testing/render-page.tsx';
import { BirdList } from './bird-list.tsx';
import { activityOf, listBirds } from './listed-birds.ts';
import { PlayPassage } from './play-button.tsx';

const heard = (commonName: string, startSeconds: number, confidence: number, seconds = 3): Detection => ({
  ...{ commonName, scientificName: `Avis ${commonName}`, startSeconds, endSeconds: startSeconds + seconds },
  ...{ score: 0.5, confidence, occurrence: null, hidden: false },
});
const hour = (...detections: readonly Detection[]): Prediction =>
  fakePrediction({ detections: [...detections], recording: { ...fakePrediction().recording, durationSeconds: 3600 } });
const play = vi.fn();
function Shown({ prediction }: { readonly prediction: Prediction }) {
  const [withLessLikely, setWithLessLikely] = useState(false);
  return (
    <PlayPassage value={play}>
      <BirdList
        {...{ prediction, withLessLikely, isAlone: false, isKept: false }}
        birds={listBirds(prediction)}
        onLessLikely={setWithLessLikely}
      />
    </PlayPassage>
  );
}
const show = (prediction: Prediction, at = '/') => renderPage(<Shown prediction={prediction} />, { at });
const names = () => screen.queryAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
const rowOf = (name: string) => screen.getByRole('heading', { level: 2, name }).closest('li') as HTMLElement;

describe('The activity of a species in a recording', () => {
  it('is shown in 24 columns, and a detection counts in each column that it overlaps', () => {
    const columns = activityOf([heard('Wren', 0, 0.6), heard('Wren', 148, 0.9), heard('Wren', 3598, 0.7, 2)], 3600);
    expect(columns.slice(0, 3)).toEqual([2, 1, 0]);
    expect(columns.at(-1)).toBe(1);
    expect(columns).toHaveLength(24);
  });

  it('does not count a detection in a column that begins exactly where the detection ends', () => {
    expect(activityOf([heard('Wren', 147, 0.6)], 3600).slice(0, 2)).toEqual([1, 0]);
  });
});

describe('The part of a recording that plays for a bird', () => {
  const wren = fakeNamedBird({
    ...{ commonName: 'Wren', scientificName: 'Avis Wren', confidence: 0.9, confidenceWord: 'veryLikely' },
    best: { startSeconds: 8, endSeconds: 17 },
  });
  it.each([
    ['the part of the best passage in which it was detected', [heard('Wren', 12, 0.9, 9)], [12, 17]],
    ['only the best passage of a longer detection', [heard('Wren', 0, 0.9, 40)], [8, 17]],
    [
      'the surest of several detections in the best passage',
      [heard('Wren', 8, 0.4), heard('Wren', 13, 0.8), heard('Wren', 90, 0.9)],
      [13, 16],
    ],
    ['the surest detection when none is in the best passage', [heard('Wren', 50, 0.4), heard('Wren', 90, 0.9)], [90, 93]],
    ['the best passage when there is no detection', [], [8, 17]],
  ] as const)('is %s', (_, detections, [startSeconds, endSeconds]) => {
    const prediction = hour(...detections);
    const verdict = { ...prediction.verdict, kind: 'identified' as const, named: [wren] };
    const [listed] = listBirds({ ...prediction, candidates: [wren], verdict }).main;
    expect(listed?.best).toMatchObject({ startSeconds, endSeconds });
  });
});

describe('A bird that does not live at the assumed place', () => {
  const robin = fakeNamedBird({ commonName: 'Robin', scientificName: 'Avis Robin', assumed: 'here' });
  const junco = fakeNamedBird({ commonName: 'Junco', scientificName: 'Avis Junco', rank: 2, assumed: 'elsewhere' });
  const listed = (confidenceWord: ConfidenceWord) => {
    const prediction = hour();
    const candidates = [robin, { ...junco, confidenceWord }];
    const { besides, lessLikely } = listBirds({ ...prediction, candidates, verdict: { ...prediction.verdict, named: [robin] } });
    return { besides, lessLikely };
  };

  it('is listed among those that are perhaps there if it is likely otherwise, because the place may be wrong', () => {
    expect(listed('likely')).toMatchObject({ besides: [{ commonName: 'Junco', isHidden: true }], lessLikely: [] });
  });

  it('is listed among the less likely ones if it is not even likely', () => {
    expect(listed('perhaps')).toMatchObject({ besides: [], lessLikely: [{ commonName: 'Junco' }] });
  });
});

describe('The detections of a long recording', () => {
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

  it('are listed by species, each with count, first time, button to play and activity', async () => {
    const { user } = show(prediction);
    expect(names()).toEqual(['Wren', 'Robin', 'Merlin']);
    const wren = rowOf('Wren');
    expect(within(wren).getByRole('meter', { name: 'Confidence in Wren' }).querySelectorAll('[data-filled=true]')).toHaveLength(
      3,
    );
    expect(wren.textContent).not.toContain('71%');
    expect(wren.textContent).toContain('130 times, first at 0:10 · clearest at 43:10');
    expect(within(wren).getByRole('img', { name: /^Wren: heard in 18 of 24 parts/ })).toBeTruthy();
    await user.click(within(wren).getByRole('button', { name: /^Play the best moment of Wren/ }));
    expect(play).toHaveBeenCalledExactlyOnceWith(2589, 2594);
    expect(screen.queryByRole('table')).toBeNull();
    expect(rowOf('Merlin').textContent).toContain('First heard at 0:03');
  });

  it('open below their species, a limited number at a time, by time or best first', async () => {
    const { user } = show(prediction);
    await user.click(screen.getByRole('button', { name: 'Why and when? (Wren)' }));
    const table = screen.getByRole('table', { name: 'Detections of Wren' });
    const rows = () => within(table).getAllByRole('row').slice(1);
    expect(rows()).toHaveLength(10);
    expect(rows()[0]?.textContent).toContain('0:10.0–0:13.0');
    expect(rowOf('Wren').textContent).toContain('71% · Likely');
    await user.click(within(table).getByRole('button', { name: 'How sure on its own' }));
    expect(rows()[0]?.textContent).toContain('43:10.0–43:13.0');
    expect(within(table).getByRole('columnheader', { name: 'How sure on its own' }).getAttribute('aria-sort')).toBe('descending');
    await user.click(screen.getByRole('button', { name: 'Show 100 more of 130 detections' }));
    await user.click(screen.getByRole('button', { name: 'Show all 130 detections' }));
    expect(rows()).toHaveLength(130);
  });

  it('are open at first for the bird that the address names', () => {
    show(prediction, '/history/a#Avis_Robin');
    expect(rowOf('Robin').id).toBe('Avis_Robin');
    expect(screen.getAllByRole('table', { name: /^Detections/ })).toEqual([
      within(rowOf('Robin')).getByRole('table', { name: /^Det/ }),
    ]);
  });

  it('are replaced by a sentence for a bird that has none', async () => {
    const { user } = show(prediction);
    await user.click(screen.getByRole('button', { name: 'Why and when? (Merlin)' }));
    expect(screen.getByText('No single moment was clear enough on its own.')).toBeTruthy();
  });

  it('that belong to less likely birds are shown on request', async () => {
    const { user } = show(prediction);
    await user.click(screen.getByRole('button', { name: 'Show one less likely bird', expanded: false }));
    expect(names()).toEqual(['Wren', 'Robin', 'Merlin', 'Dunnock']);
    expect(within(screen.getByRole('list', { name: /^Too faint/ })).getAllByRole('listitem')).toHaveLength(1);
    expect(rowOf('Dunnock').textContent).toContain('Less certain');
    expect(rowOf('Dunnock').textContent).toContain('For 3 s, from 0:05');
    await user.click(screen.getByRole('button', { name: 'Hide the less likely bird', expanded: true }));
    expect(names()).toHaveLength(3);
  });

  it('can be searched by name and sorted if there are many birds', async () => {
    const more = Array.from({ length: 7 }, (_, at) => ({ ...named(`Tit ${at}`, 0.8, 'likely'), firstSeconds: 100 + at }));
    const { user } = show({
      ...prediction,
      verdict: { ...prediction.verdict, named: [...prediction.verdict.named, ...more] },
    });
    expect(names().slice(0, 3)).toEqual(['Wren', 'Tit 0', 'Tit 1']);
    await user.selectOptions(screen.getByLabelText('Sort by'), 'Number of detections');
    expect(names().slice(0, 2)).toEqual(['Wren', 'Robin']);
    await user.selectOptions(screen.getByLabelText('Sort by'), 'Confidence');
    expect(names().slice(0, 2)).toEqual(['Robin', 'Tit 0']);
    await user.type(screen.getByLabelText('Find a bird'), 'avis ro');
    expect(names()).toEqual(['Robin']);
    expect(screen.getByText('One bird.')).toBeTruthy();
  });

  it('have activity and a search, unlike those of a short recording', async () => {
    const { user } = show(fakePrediction());
    expect(screen.queryByRole('img')).toBeNull();
    expect(screen.queryByLabelText('Find a bird')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Why and when? (Common Chiffchaff)' }));
    const table = screen.getByRole('table', { name: 'Detections of Common Chiffchaff' });
    expect(within(table).getAllByRole('row')[1]?.textContent).toContain('0:03.0–0:09.0');
  });
});

import type { NamedBird, Prediction } from '@chiffchaff/contract';
import { act, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { speak } from '../../../../languages/i18n.ts';
import { fakeNamedBird, fakePrediction } from '../../../../testing/fake-data.ts';
import { answerEveryClient } from '../../../../testing/fake-identity-service.ts';
import { nextRequest } from '../../../../testing/fake-transport.ts';
import { renderPage } from '../../../../testing/render-page.tsx';
import { listBirds } from '../birds/listed-birds.ts';
import { PlayButton, PlayingPassage, PlayPassage } from '../birds/play-button.tsx';
import { ConditionsPanel } from '../conditions-panel.tsx';
import { VerdictCard } from './verdict-card.tsx';

answerEveryClient();

const bird = (rank: number, commonName: string, firstSeconds: number, part: Partial<NamedBird> = {}): NamedBird =>
  fakeNamedBird({ ...{ rank, commonName, scientificName: `Avis ${commonName}`, firstSeconds }, ...part });
const robin = bird(1, 'Robin', 40);
const wren = bird(2, 'Wren', 2, { confidence: 0.8, confidenceWord: 'likely' });
const dunnock = bird(3, 'Dunnock', 10, { confidence: 0.55, confidenceWord: 'perhaps' });
const tit = bird(4, 'Great Tit', 1, { confidence: 0.6, confidenceWord: 'perhaps' });

interface Shown extends Partial<Prediction['verdict']> {
  readonly conditions?: Partial<Prediction['conditions']>;
  readonly detections?: Prediction['detections'];
  readonly reviews?: NonNullable<Prediction['reviews']>;
  readonly otherSounds?: Prediction['otherSounds'];
  readonly checkUp?: Prediction['checkUp'];
  readonly candidates?: Prediction['candidates'];
}
const play = vi.fn();
const show = (
  { conditions, detections = [], reviews = [], otherSounds = [], checkUp = [], candidates = [], ...verdict }: Shown,
  isKept = true,
) => {
  const base = fakePrediction({ candidates });
  const prediction: Prediction = {
    ...base,
    ...{ detections, reviews, otherSounds, checkUp },
    verdict: { ...base.verdict, ...verdict },
    conditions: { ...base.conditions, ...conditions },
  };
  return renderPage(
    <PlayPassage value={play}>
      <VerdictCard
        prediction={prediction}
        birds={listBirds(prediction)}
        withLessLikely={false}
        onLessLikely={() => {}}
        isKept={isKept}
        fileName="dawn.wav"
        another={<button type="button">Try another recording</button>}
        conditions={(isPlaceMissed) => <ConditionsPanel {...{ prediction, isKept, isPlaceMissed }} onReconsidered={() => {}} />}
      />
    </PlayPassage>,
  );
};
const headline = () => screen.getByRole('heading', { level: 1 }).textContent;
const birds = () => screen.queryAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);

afterEach(() => speak('en'));

describe('The birds in the verdict card', () => {
  it('have the time of their earliest detection as first heard', () => {
    const [detection] = fakePrediction().detections;
    if (!detection) throw new Error('no detection');
    const { commonName, scientificName } = wren;
    const at = (startSeconds: number) => ({
      ...detection,
      commonName,
      scientificName,
      startSeconds,
      endSeconds: startSeconds + 3,
    });
    show({ kind: 'several', sentence: '', named: [wren, robin], detections: [at(6), at(0)] });
    const row = screen.getByRole('heading', { name: 'Wren' }).closest('li');
    expect(row?.textContent).toContain('2 times, first at 0:00');
  });

  it('are listed in the order heard, each with word, first time and button to play', async () => {
    const { user } = show({ kind: 'several', sentence: 'Several birds: Wren and Robin.', named: [tit, wren, dunnock, robin] });
    expect(headline()).toBe('2 birds found, perhaps 2 more.');
    expect(birds()).toEqual(['Wren', 'Robin', 'Great Tit', 'Dunnock']);
    const row = screen.getByRole('heading', { name: 'Wren' }).closest('li') as HTMLElement;
    expect(row.textContent).toContain('Likely');
    expect(row.textContent).toContain('First heard at 0:02');
    // The best clip (3 to 6 s), with a second around it.
    await user.click(within(row).getByRole('button', { name: 'Play the best moment of Wren, at 0:03' }));
    expect(play).toHaveBeenCalledExactlyOnceWith(2, 7);
  });

  it('say how often they were heard this year, except those that were rejected', async () => {
    const said = { scientificName: robin.scientificName, commonName: 'Robin', to: null, toCommonName: null };
    show({
      ...{ kind: 'several', sentence: '', named: [wren, robin], conditions: { date: '2019-05-01' } },
      reviews: [{ ...said, verdict: 'rejected', at: '2026-05-01T06:00:00.000Z' }],
    });
    const request = await nextRequest();
    expect(request.url).toBe(`/v1/predictions/${fakePrediction().id}`);
    const heardBefore = [robin, wren].map(({ scientificName }) => ({ scientificName, timesThisYear: 2, lastHeardOn: null }));
    await act(async () => request.answer(200, { state: 'done', prediction: fakePrediction(), keptAudio: null, heardBefore }));
    const row = (name: string) => screen.getByRole('heading', { level: 2, name: new RegExp(name) }).closest('li') as HTMLElement;
    await screen.findAllByText(/2nd time in 2019/);
    // That of the rejected one is hidden by its style: its room stays.
    expect(within(row('Wren')).getByText(/2nd time/).style.visibility).toBe('visible');
    expect(within(row('Robin')).getByText(/2nd time/).style.visibility).toBe('hidden');
  });

  it('that are only “perhaps” follow below a separate line', () => {
    show({ kind: 'identified', sentence: 'Very likely a Robin.', named: [dunnock, robin] });
    expect(headline()).toBe('Robin (Very likely)');
    expect(birds()).toEqual(['Dunnock']);
    expect(within(screen.getByRole('list', { name: 'Perhaps also' })).getByRole('heading', { name: 'Dunnock' })).toBeTruthy();
  });

  it('are counted in a headline with “perhaps” if none is surer, also in German', async () => {
    await speak('de');
    show({ kind: 'unsure', sentence: 'Perhaps a Great Tit.', named: [tit, dunnock] });
    expect(headline()).toBe('Vielleicht 2 Arten, keine davon sicher.');
    expect(birds()).toEqual(['Great Tit', 'Dunnock']);
  });

  it('that cannot be told apart are named in the headline', () => {
    show({ kind: 'unsure', tied: true, sentence: 'Robin or Wren: too close to call.', named: [wren, robin, dunnock] });
    expect(headline()).toBe('Robin or Wren: too close to call.');
    expect(birds()).toEqual(['Wren', 'Robin', 'Dunnock']);
  });

  it('show their confidence alone, and a score only in the explanation', () => {
    show({ kind: 'several', sentence: '', named: [wren, robin] });
    const rows = screen.getAllByRole('heading', { level: 2 }).map((name) => name.closest('li') as HTMLElement);
    expect(rows).toHaveLength(2);
    for (const row of rows) {
      row.querySelector('details')?.remove();
      expect(row.textContent).not.toMatch(/scor|0\.\d/);
    }
  });
});

it('More than five birds in the verdict card are all listed, one line each, and can be searched', async () => {
  const many = Array.from({ length: 24 }, (_, at) => bird(at + 1, `Sure ${at}`, at));
  const perhaps = [25, 26].map((rank) => bird(rank, `Perhaps ${rank}`, rank, { confidence: 0.55, confidenceWord: 'perhaps' }));
  const { user } = show({ kind: 'several', sentence: '', named: [...many, ...perhaps] });
  expect(birds()).toHaveLength(26);
  const isLine = (name: string) => screen.getByRole('heading', { level: 2, name }).closest('li')?.dataset['line'];
  expect(isLine('Perhaps 25')).toBe('true');
  await user.type(screen.getByLabelText('Find a bird'), 'perhaps');
  expect(birds()).toHaveLength(2);
});

describe('The button that plays a bird in the verdict card', () => {
  it('stops the audio that it started', async () => {
    const stop = vi.fn();
    const { user } = renderPage(
      <PlayPassage value={play}>
        <PlayingPassage value={{ startSeconds: 3, endSeconds: 6, stop }}>
          <PlayButton name="Robin" passage={{ startSeconds: 3, endSeconds: 6 }} bestSeconds={3} />
          <PlayButton name="Wren" passage={{ startSeconds: 0, endSeconds: 3 }} bestSeconds={0} />
        </PlayingPassage>
      </PlayPassage>,
    );
    await user.click(screen.getByRole('button', { name: 'Stop playing Robin' }));
    expect(stop).toHaveBeenCalledOnce();
    expect(screen.getByRole('button', { name: 'Play the best moment of Wren, at 0:00' }).textContent).toBe('0:00');
  });
});

describe('The verdict card without a bird', () => {
  const nothing: Shown = { kind: 'noBird', sentence: 'No bird found.', named: [] };

  it('says that no bird was found, with one next step', () => {
    show(nothing);
    expect(headline()).toBe('Nothing sounded enough like a bird.');
    expect(screen.getByText('Try again closer to the bird, or with a longer recording.')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Try another recording' })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'There was also…' })).toBeTruthy();
  });

  it('names other sounds that were heard, by their label if there is no text', () => {
    const heard = (label: string, score: number) => ({ label, score, startSeconds: 0, endSeconds: 3 });
    const { unmount } = show({ ...nothing, otherSounds: [heard('Engine', 0.5), heard('Dog', 0.9)] });
    expect(headline()).toBe('We heard a dog, but no bird.');
    unmount();
    show({ ...nothing, otherSounds: [heard('Gray Tree Frog', 0.9)] });
    expect(headline()).toBe('We heard Gray Tree Frog, but no bird.');
  });

  it('says that a silent recording is silent', () => {
    show({ ...nothing, checkUp: [{ code: 'SILENT', share: 1 }] });
    expect(headline()).toBe('The recording is silent.');
    expect(screen.getByText('Check that the microphone was on and not covered.')).toBeTruthy();
    expect(screen.queryByText(/^Place/)).toBeNull();
    expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Try another recording']);
  });

  it('offers a button for another recording, unlike a card with a bird', () => {
    show({ named: [bird(1, 'Robin', 4)] });
    expect(screen.queryByRole('button', { name: 'Try another recording' })).toBeNull();
  });
});

it('The verdict card is marked as unsure if no bird is surer than “not sure”', () => {
  const hint = bird(1, 'Robin', 4, { confidence: 0.3, confidenceWord: 'notSure' });
  show({ kind: 'unsure', sentence: 'Not sure, but it could be a Robin.', named: [hint] });
  expect(headline()).toBe('Not sure, but it could be a Robin.');
  expect(screen.getByRole('heading', { level: 1 }).closest('section')?.dataset.unsure).toBe('true');
});

describe('The place in the verdict card', () => {
  it('is shown with every result, with a button to change it', () => {
    show({ conditions: { latitude: 52.2, longitude: 0.12, placeSource: 'stated' } });
    expect(screen.getByText(/^Place: near 52\.2, 0\.12/)).toBeTruthy();
    const panel = screen.getByText('Change place').closest('details') as HTMLElement;
    expect(within(panel).getByRole<HTMLInputElement>('textbox', { name: 'Latitude' }).value).toBe('52.2');
  });

  it('is marked if it was only assumed', () => {
    show({ conditions: { latitude: null, longitude: null, placeSource: 'assumed', timeZone: 'Europe/London' } }, false);
    expect(screen.getByText(/^Place: around London, assumed from your time zone/)).toBeTruthy();
    expect(screen.getByText(/^Without an account, nothing is saved/)).toBeTruthy();
  });
});

it('The verdict card says on paper when it was recorded and what was said of a bird, which only its buttons show otherwise', () => {
  const said = {
    ...wren,
    verdict: 'corrected',
    to: 'Avis Dunnock',
    toCommonName: 'Dunnock',
    at: '2026-05-01T06:00:00.000Z',
  } as const;
  show({ kind: 'several', sentence: '', named: [wren, robin], conditions: { date: '2019-05-01' }, reviews: [said] });
  const printed = [...document.querySelectorAll('.printed')].map(({ textContent }) => textContent);
  expect(printed).toEqual(['May 1, 2019', 'You said it was Dunnock.']);
});

describe('The region where a bird lives, in the verdict card,', () => {
  const crombec = bird(1, 'Cape Crombec', 3, { regions: ['018'], confidence: 0.8, confidenceWord: 'likely' });
  const named = [crombec];

  it('is part of the headline if no place is known, with a button to add a place', () => {
    show({ sentence: 'Likely a Cape Crombec, a bird of Southern Africa.', named });
    // Only once, although the server's sentence contains it too.
    expect(headline()).toBe('Cape Crombec (Likely) Lives in Southern Africa.');
    expect(screen.getByText('Add the place').closest('summary')?.textContent).toMatch(/^No place was given/);
  });

  it('is named for each of several birds, also in German', async () => {
    await speak('de');
    show({ kind: 'several', sentence: '', named: [crombec, { ...wren, regions: ['155', 'GB'] }] });
    const rowOf = (name: string) => screen.getByRole('heading', { level: 2, name }).closest('li')?.textContent;
    expect(rowOf('Cape Crombec')).toContain('Verbreitung: Südliches Afrika.');
    expect(rowOf('Wren')).toContain('Verbreitung: Westeuropa und Vereinigtes Königreich.');
  });

  it('is named only for birds from elsewhere if the place was assumed', () => {
    const conditions = { placeSource: 'assumed', timeZone: 'Europe/London' } as const;
    const { unmount } = show({ sentence: 'Likely.', named: [{ ...crombec, assumed: 'here', occurrence: 0.5 }], conditions });
    expect(headline()).toBe('Cape Crombec (Likely)');
    expect(screen.queryByText('Add the place')).toBeNull();
    unmount();
    const sentence = 'Likely a Cape Crombec, which lives in Southern Africa. Was it recorded there?';
    show({ sentence, named: [{ ...crombec, assumed: 'elsewhere', occurrence: 0.0001 }], conditions });
    expect(headline()).toBe('Likely a Cape Crombec. Lives in Southern Africa. Was it recorded there?');
    const place = screen.getByText(/assumed from your time zone\. Recorded somewhere else/).closest('details');
    expect(place?.open).toBe(false);
    fireEvent.click(screen.getByRole('button', { name: 'Was it recorded there?' }));
    expect(place?.open).toBe(true);
    expect(document.activeElement).toBe(place?.querySelector('summary'));
  });

  it('is named with a question for a bird from elsewhere that is only “perhaps”, apart from birds that live here', async () => {
    const conditions = { placeSource: 'assumed', timeZone: 'Europe/London' } as const;
    const doubtful = {
      ...crombec,
      confidence: 0.6,
      confidenceWord: 'perhaps',
      assumed: 'elsewhere',
      occurrence: 0.0001,
    } as const;
    await speak('de');
    show({ kind: 'unsure', sentence: '', named: [doubtful, { ...dunnock, assumed: 'here', occurrence: 0.5 }], conditions });
    expect(headline()).toBe('Vielleicht: Cape Crombec. Verbreitung: Südliches Afrika. Dort aufgenommen?');
    expect(birds()).toEqual(['Dunnock']);
    // Its confidence is less than without a place, so it does not say that the place is ignored.
    expect(screen.getByText('hier nicht zu erwarten; trotzdem: Vielleicht, 60 %')).toBeTruthy();
  });

  it('is not shown for a bird that is not named, but the card asks about the place if that bird is from elsewhere', () => {
    const conditions = { placeSource: 'assumed', timeZone: 'Europe/London' } as const;
    const candidates = [{ ...crombec, assumed: 'elsewhere', occurrence: 0.0001 } as const];
    show({ sentence: 'Robin.', named: [{ ...robin, assumed: 'here', occurrence: 0.5 }], conditions, candidates });
    expect(headline()).toBe('Robin (Very likely)');
    expect(screen.getByText(/assumed from your time zone\. Recorded somewhere else/)).toBeTruthy();
  });

  it('is omitted if the place was stated; a place can be added only to a stored result', () => {
    const { unmount } = show({
      sentence: 'Likely.',
      named: [{ ...crombec, occurrence: 0.5 }],
      conditions: { latitude: -33, longitude: 18 },
    });
    expect(headline()).toBe('Cape Crombec (Likely)');
    unmount();
    show({ sentence: 'Likely.', named }, false);
    expect(headline()).toContain('Southern Africa');
    expect(screen.getByText(/^Without an account, nothing is saved/)).toBeTruthy();
    expect(screen.queryByText('Add the place')).toBeNull();
  });
});

describe('The look-alike of a bird in the verdict card', () => {
  const found = { scientificName: 'Avis Siskin', commonName: 'Siskin', occurrence: 0.4, occurrenceWord: 'expected' } as const;

  it('can be looked up, and played where the recording sounds like it', async () => {
    const best = { startSeconds: 12, endSeconds: 15 };
    show({ kind: 'unsure', named: [dunnock], lookAlike: { ...found, reason: 'soundsAlike', confidence: 0.2, best } });
    const line = screen.getByText(/Also sounds like Siskin, which is expected here/).parentElement as HTMLElement;
    within(line).getByRole('button', { name: 'Play Siskin at 0:12.0' }).click();
    expect(play).toHaveBeenLastCalledWith(12, 15);
    expect(within(line).getByRole('link', { name: /Siskin.*Xeno-canto/ })).toBeTruthy();
  });

  it('has no button to play if it is only known from tests', () => {
    show({ kind: 'unsure', named: [dunnock], lookAlike: { ...found, reason: 'confusedInTests', recordings: 3 } });
    const line = screen.getByText(/Often confused with Siskin, which is expected here/).parentElement as HTMLElement;
    expect(within(line).queryByRole('button')).toBeNull();
  });
});

import { type CheckUp, checkUpSchema, fileNotes } from '@chiffchaff/contract';
import { screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
// biome-ignore lint/style/noRestrictedImports: only this test holds the texts against the model's labels
import { labels } from '../../../../../../models/birdnet-v2.4/manifest.json';
import { speak } from '../../../languages/i18n.ts';
import en from '../../../languages/later/en.json';
import { renderPage } from '../../../testing/render-page.tsx';
import { RecordingCheckUp } from './check-up.tsx';

afterEach(() => speak('en'));

const { nonEvents } = labels;
const all: readonly CheckUp[] = [
  { code: 'ENDED_EARLY', share: 0.5 },
  { code: 'SILENT', share: 0.3 },
  { code: 'STEADY_NOISE', share: 0.97 },
  { code: 'CLIPPED', share: 0.12 },
  { code: 'QUIET', share: 1, peakDecibels: -46 },
  { code: 'WIND', share: 0.4 },
  { code: 'HUM', share: 1, mainsHz: 50 },
  { code: 'BAND_LIMITED', share: 1, limitHz: 7750 },
  { code: 'SPEECH_HEARD', share: 0.004 },
  { code: 'OTHER_SOUND_HEARD', share: 0.3, label: 'Engine' },
  ...fileNotes.map((code) => ({ code, share: 1 })),
];

const region = (name: string) => screen.getByRole('region', { name });

it('Every label of the model that is not an animal has a name on the page', () => {
  for (const label of nonEvents) {
    expect(Object.keys(en.checkUp.sound)).toContain(label);
    expect(Object.keys(en.noBird.sounds)).toContain(label);
  }
  expect(nonEvents.length).toBeGreaterThan(5);
});

describe('The check-up of the recording on the result page', () => {
  it.each<[string, readonly CheckUp[]]>([
    ['nothing is wrong', []],
    ['the verdict says that all is silent', [{ code: 'SILENT', share: 1 }]],
  ])('is not shown when %s', (_, checkUp) => {
    renderPage(<RecordingCheckUp checkUp={checkUp} />);
    expect(screen.queryByRole('region')).toBeNull();
  });

  it.each(['en', 'de'] as const)('has a sentence and advice for every finding in the language %s', async (language) => {
    await speak(language);
    expect(all.map(({ code }) => code)).toEqual(
      checkUpSchema.options.flatMap(({ shape: { code } }) => ('options' in code ? code.options : [code.value])),
    );
    renderPage(<RecordingCheckUp checkUp={all} />);
    const findings = region(language === 'en' ? 'Recording quality' : 'Aufnahmequalität');
    expect(within(findings).getAllByText(/\.$/)).toHaveLength(2 * all.length);
    expect(findings.textContent).not.toMatch(/checkUp\.|[{}_]|undefined|NaN/);
  });

  it('is one folded line for other sounds, and a banner for faults of the recording', () => {
    renderPage(<RecordingCheckUp checkUp={all.filter(({ code }) => code === 'HUM' || code === 'OTHER_SOUND_HEARD')} />);
    const line = screen.getByText('An engine in 30% of the recording.').closest('details');
    expect(line?.open).toBe(false);
    expect(line?.textContent).toContain('quieter place');
    expect(screen.getByText(/^There is a mains hum/).closest('details')).toBeNull();
  });

  it.each<[CheckUp, string, string]>([
    [{ code: 'SILENT', share: 0.3 }, '30% of the recording is silent.', 'check the microphone and its cable'],
    [{ code: 'CLIPPED', share: 0.12 }, '12% of the recording is clipped.', 'Lower the recording level'],
    [{ code: 'BAND_LIMITED', share: 1, limitHz: 7750 }, 'cut off above 7.8 kHz: the high calls of tits', 'upload the original'],
    [{ code: 'BAND_LIMITED', share: 1, limitHz: 4000 }, 'cut off above 4 kHz: most songbirds', 'upload the original'],
    [{ code: 'OTHER_SOUND_HEARD', share: 0.3, label: 'Engine' }, 'An engine in 30% of the recording.', 'quieter place'],
    [{ code: 'OTHER_SOUND_HEARD', share: 0.3, label: 'Waterfall' }, 'Waterfall in 30%', 'quieter place'],
  ])('says what it found and what to do: %o', (finding, found, advice) => {
    renderPage(<RecordingCheckUp checkUp={[finding]} />);
    expect(region('Recording quality').textContent).toContain(found);
    expect(region('Recording quality').textContent).toContain(advice);
  });
});

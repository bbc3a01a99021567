import { describe, expect, it } from 'vitest';
import { checkUpInWords, lostBirds } from './check-up-sentences.ts';
import { type CheckUp, checkUpSchema, fileNotes } from './prediction.ts';

const findings: readonly CheckUp[] = [
  { code: 'ENDED_EARLY', share: 0.5 },
  { code: 'SILENT', share: 1 },
  { code: 'STEADY_NOISE', share: 1 },
  { code: 'CLIPPED', share: 0.12 },
  { code: 'QUIET', share: 1, peakDecibels: -46 },
  { code: 'WIND', share: 0.4 },
  { code: 'HUM', share: 1, mainsHz: 50 },
  { code: 'BAND_LIMITED', share: 1, limitHz: 7750 },
  { code: 'SPEECH_HEARD', share: 0.004 },
  { code: 'OTHER_SOUND_HEARD', share: 0.3, label: 'Engine' },
  ...fileNotes.map((code) => ({ code, share: 1 })),
];

describe('The check-up in words (`checkUpInWords`)', () => {
  it('has a sentence and advice for every code of the check-up', () => {
    const codes = checkUpSchema.options.flatMap(({ shape: { code } }) => ('options' in code ? code.options : [code.value]));
    expect(findings.map(({ code }) => code)).toEqual(codes);
    for (const finding of findings) {
      const { found, advice } = checkUpInWords(checkUpSchema.parse(finding));
      for (const sentence of [found, advice]) {
        expect(sentence).toMatch(/^["A-Z0-9].*\.$/);
        expect(sentence).not.toMatch(/undefined|NaN|_/);
      }
    }
  });

  it.each([
    [findings[3], '12 % of the recording is clipped: it was too loud for the recorder, which distorts the sound.'],
    [findings[5], 'Wind or rumble covers 40 % of the recording.'],
    [findings[7], 'There is nothing above 7.8 kHz: the high calls of tits, goldcrests and treecreepers can’t be heard.'],
    [findings[8], 'Speech can be heard in less than 1 % of the recording.'],
  ] as const)('says how much of the recording, or which frequencies, a finding affects: %o', (finding, sentence) => {
    expect(finding && checkUpInWords(finding).found).toBe(sentence);
  });

  it('names the birds lost below each band limit', () => {
    expect([4000, 5000, 5250, 9000, 9250].map(lostBirds)).toEqual([
      'mostSongbirds',
      'mostSongbirds',
      'highCalls',
      'highCalls',
      'highestParts',
    ]);
  });
});

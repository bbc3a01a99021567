import type { CheckUp, FileNote } from './prediction.ts';

/** A finding of the check-up in words: what was found and what it means, and advice. */
export interface CheckUpInWords {
  readonly found: string;
  readonly advice: string;
}

/**
 * Words a finding of the check-up in English.
 *
 * @example
 * checkUpInWords({ code: 'BAND_LIMITED', share: 1, limitHz: 4000 }).found;
 * // 'There is nothing above 4 kHz: most songbirds can’t be heard.'
 */
export const checkUpInWords = (finding: CheckUp): CheckUpInWords => ({
  found: foundInWords(finding),
  advice: advice[finding.code],
});

function foundInWords(finding: CheckUp): string {
  switch (finding.code) {
    case 'ENDED_EARLY':
      return 'The recording ends earlier than it says. What could be read was analysed.';
    case 'SILENT':
      return finding.share >= 0.995 ? 'The recording is silent.' : `${part(finding.share)} is silent.`;
    case 'STEADY_NOISE':
      return `${part(finding.share)} is only steady noise, such as rain, traffic or the recorder’s own.`;
    case 'CLIPPED':
      return `${part(finding.share)} is clipped: it was too loud for the recorder, which distorts the sound.`;
    case 'QUIET':
      return `The recording is very quiet (it peaks ${-finding.peakDecibels} dB below full scale): faint birds are lost in the recorder’s noise.`;
    case 'WIND':
      return `Wind or rumble covers ${lower(part(finding.share))}.`;
    case 'HUM':
      return `There is a ${finding.mainsHz} Hz hum from mains power.`;
    case 'BAND_LIMITED':
      return `There is nothing above ${kilohertz(finding.limitHz)}: ${lost[lostBirds(finding.limitHz)]}`;
    case 'SPEECH_HEARD':
      return `Speech can be heard in ${lower(part(finding.share))}.`;
    case 'OTHER_SOUND_HEARD':
      return `"${finding.label}" can be heard in ${lower(part(finding.share))}.`;
    default:
      return notesInWords[finding.code];
  }
}

const notesInWords: Readonly<Record<FileNote, string>> = {
  SEVERAL_TRACKS:
    'It has several sound tracks. The first that can be heard and is not much shorter than the others was analysed.',
  WRONG_HEADER: 'Its header is wrong about the length of the sound, which was read to its end.',
  TRIGGERED:
    'An AudioMoth recorded it with a trigger. What was left out counts as silence, so that times are those of the recorder.',
  NOT_EXPANDED:
    'Its name is that of a triggered recording of an AudioMoth, but it does not say what was left out: times in it are not those of the recorder.',
  DAY_OF_NAME: 'Its header and its name give days that are far apart. That in the name counts.',
  DAY_OF_HEADER: 'Its header and its name give days that are far apart. That in the header counts.',
  DAY_DOUBTFUL: 'Its day is before 2005 or in the future: the clock of the recorder may never have been set.',
};

const CHECK_DAY = 'Check the day: it decides which birds are expected.';

const advice: Readonly<Record<CheckUp['code'], string>> = {
  ENDED_EARLY: 'If it was copied or sent, copy it again.',
  SILENT: 'Check that the microphone was on and not covered.',
  STEADY_NOISE: 'Record out of the rain and away from water and roads. If it was quiet, check the microphone and its cable.',
  CLIPPED: 'Turn the recording level down or move back.',
  QUIET: 'Turn the recording level up or move closer.',
  WIND: 'Shelter the microphone or use a windshield, and don’t touch it while recording.',
  HUM: 'Keep away from machines and chargers, and record on battery power.',
  BAND_LIMITED: 'Record at 44.1 or 48 kHz, and send the original rather than a copy from a messaging app.',
  SPEECH_HEARD: 'Voices drown out birds and may be private: cut them out before you share the recording.',
  OTHER_SOUND_HEARD: 'Loud sounds nearby drown out birds: choose a part without them, or a quieter place.',
  SEVERAL_TRACKS: 'To analyse another, save it as a file of its own.',
  WRONG_HEADER: 'Other programs may read less of it.',
  TRIGGERED: 'Other programs need the file expanded, with the AudioMoth configuration app.',
  NOT_EXPANDED: 'If you have the file as the recorder wrote it, use that.',
  DAY_OF_NAME: CHECK_DAY,
  DAY_OF_HEADER: CHECK_DAY,
  DAY_DOUBTFUL: CHECK_DAY,
};

/** A note is about the file, not about its sound. */
export const isFileNote = ({ code }: CheckUp): boolean => code in notesInWords;

/** Which birds cannot be heard in a recording with nothing above a frequency: 3 kHz leaves pigeons and owls, 6 kHz loses the thin calls. */
export function lostBirds(limitHz: number): 'mostSongbirds' | 'highCalls' | 'highestParts' {
  if (limitHz <= 5000) return 'mostSongbirds';
  return limitHz <= 9000 ? 'highCalls' : 'highestParts';
}

const lost = {
  mostSongbirds: 'most songbirds can’t be heard.',
  highCalls: 'the high calls of tits, goldcrests and treecreepers can’t be heard.',
  highestParts: 'the highest parts of some calls are missing.',
} as const;

const kilohertz = (hertz: number): string => `${Math.round(hertz / 100) / 10} kHz`;

function part(share: number): string {
  if (share >= 0.95) return 'The whole recording';
  return `${share < 0.01 ? 'Less than 1' : Math.round(share * 100)} % of the recording`;
}

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

import {
  type Candidate,
  checkUpInWords,
  isAboutAll,
  isFileNote,
  listedPrediction,
  occurrenceInWords,
  occurrenceRemark,
  type Prediction,
  type TableOptions,
} from '@chiffchaff/contract';
import stringWidth from 'string-width';
import { printable } from '../../terminal/terminal.ts';
import type { OutputFormat } from './outcome.ts';

/** For people: the verdict as a sentence, then the candidates, with confidence and where each is heard best. */
export function createReadableTable(tables: TableOptions): OutputFormat {
  const { showHidden = false } = tables;
  let first = true;
  return {
    one: (outcome) => {
      const gap = first ? '' : '\n';
      first = false;
      const file = printable(outcome.shownAs);
      if (outcome.kind === 'failed') return `${gap}${file}\n${printable(outcome.message)}\n`;
      const prediction = listedPrediction(outcome.prediction, tables);
      return `${gap}${file} · ${clock(prediction.recording.durationSeconds)}\n${printable(resultOf(prediction))}\n${candidateTable(prediction, showHidden)}${remarks(prediction, showHidden)}`;
    },
    foot: (attribution) => `\n${attribution}\n`,
  };
}

/** Several birds of which none is certain are counted, as on the page: the sentence names one of them, the table all. */
const resultOf = ({ verdict }: Prediction): string =>
  isAboutAll(verdict) && verdict.named.length > 1 && verdict.notExpectedHere === null
    ? `Perhaps ${verdict.named.length} birds, none of them certain.`
    : verdict.sentence;

function candidateTable({ candidates, hiddenByLocation }: Prediction, showHidden: boolean): string {
  const rowOf = (candidate: Candidate, remark: string) => [
    percent(candidate.confidence),
    printable(candidate.commonName),
    candidate.scientificName + remark,
    span(candidate),
  ];
  const rows = [
    ...candidates.map((candidate) => {
      const remark = occurrenceRemark(candidate);
      return rowOf(candidate, remark === null ? '' : ` (${occurrenceInWords[remark]})`);
    }),
    ...(showHidden ? hiddenByLocation : []).map((candidate) => rowOf(candidate, ' (hidden: confidence without the place)')),
  ];
  const widths = [4, 1, 2].map((least, column) => Math.max(least, ...rows.map((row) => stringWidth(row[column] ?? ''))));
  return rows
    .map(
      ([confidence = '', common = '', scientific = '', best = '']) =>
        `  ${padStart(confidence, widths[0] ?? 0)}  ${padEnd(common, widths[1] ?? 0)}  ${padEnd(scientific, widths[2] ?? 0)}  ${best}\n`,
    )
    .join('');
}

function remarks({ verdict, hiddenByLocation, otherSounds, checkUp }: Prediction, showHidden: boolean): string {
  const lines: string[] = [];
  if (verdict.lookAlike) {
    const { commonName, scientificName, reason } = verdict.lookAlike;
    lines.push(`${reason === 'soundsAlike' ? 'Also sounds like' : 'Often confused with'} ${commonName} (${scientificName}).`);
  }
  if (hiddenByLocation.length > 0 && !showHidden)
    lines.push(
      `Not expected at that place and time: ${hiddenByLocation.map((each) => `${each.commonName} ${percent(each.confidence)}`).join(', ')}`,
    );
  if (otherSounds.length > 0) lines.push(`Other sounds: ${otherSounds.map(({ label }) => label).join(', ')}`);
  // The end of the run names the recordings of each note once.
  for (const finding of checkUp.filter((each) => !isFileNote(each))) {
    const { found, advice } = checkUpInWords(finding);
    lines.push(`${found} ${advice}`);
  }
  return lines.map((line) => `  ${printable(line)}\n`).join('');
}

/** Never 100 %: no result from a recording is that certain. */
const percent = (share: number) => (share > 0.99 ? '> 99 %' : `${Math.round(share * 100)} %`);
const span = ({ best }: Candidate) => `${clock(best.startSeconds)}–${clock(best.endSeconds)}`;

/** `3:07`, `1:02:45` */
export function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, i) => (i === 0 ? `${part}` : `${part}`.padStart(2, '0'))).join(':');
}

// By display width, not by length: names may be Chinese, Japanese or Thai.
const padEnd = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - stringWidth(text)));
const padStart = (text: string, width: number) => ' '.repeat(Math.max(0, width - stringWidth(text))) + text;

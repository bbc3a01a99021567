import { audacityLabels, onOneLine, ravenHeader, ravenRows, ravenStart } from '@chiffchaff/contract';
import {
  analyzerHeader,
  analyzerRows,
  kaleidoscopeHeader,
  kaleidoscopeRows,
  surveyCsvHeader,
  surveyCsvRows,
} from '@chiffchaff/survey';
import type { OutputFormat, OutputFormatInput } from './outcome.ts';

/** One table over all recordings; a recording that could not be read has no rows (standard error names it). */
export function createCsv({ tables }: OutputFormatInput): OutputFormat {
  return {
    head: surveyCsvHeader(),
    one: (outcome) => {
      if (outcome.kind === 'failed') return '';
      const { prediction, circumstances } = outcome;
      // The path as given distinguishes files of the same name in different folders.
      const recording = { ...prediction.recording, fileName: outcome.shownAs };
      return surveyCsvRows({ prediction: { ...prediction, recording }, circumstances }, tables);
    },
  };
}

/**
 * One selection table over all recordings, combined as in BirdNET-Analyzer: times continue from file to file; `Begin Path` and `File
 * Offset` identify the file.
 */
export function createRaven({ tables }: OutputFormatInput): OutputFormat {
  let position = ravenStart;
  return {
    head: ravenHeader(tables),
    one: (outcome) => {
      if (outcome.kind === 'failed') return '';
      const { prediction } = outcome;
      // Raven opens recordings by this path, wherever the table is.
      const recording = { ...prediction.recording, fileName: outcome.path };
      const { rows, next } = ravenRows({ ...prediction, recording }, position, tables);
      position = next;
      return rows;
    },
  };
}

/** One CSV over all recordings, combined as in BirdNET-Analyzer, with absolute paths as there. */
export function createAnalyzer({ tables }: OutputFormatInput): OutputFormat {
  return {
    head: analyzerHeader(),
    one: (outcome) => (outcome.kind === 'failed' ? '' : analyzerRows(outcome, outcome.path, tables)),
  };
}

/** One CSV over all recordings, in the format that Kaleidoscope opens. */
export function createKaleidoscope({ tables }: OutputFormatInput): OutputFormat {
  return {
    head: kaleidoscopeHeader(),
    one: (outcome) => (outcome.kind === 'failed' ? '' : kaleidoscopeRows(outcome, outcome.path, tables)),
  };
}

/**
 * One label track. Audacity labels have no file names: with several recordings, times continue as if the recordings were end to end in one
 * track (Tracks → Align Tracks → Align End to End), and each recording has a label over its whole length.
 */
export function createAudacity({ severalRecordings, tables }: OutputFormatInput): OutputFormat {
  let secondsBefore = 0;
  return {
    one: (outcome) => {
      if (outcome.kind === 'failed') return '';
      const { prediction } = outcome;
      const detections = prediction.detections.map((detection) => ({
        ...detection,
        startSeconds: secondsBefore + detection.startSeconds,
        endSeconds: secondsBefore + detection.endSeconds,
      }));
      const end = secondsBefore + prediction.recording.durationSeconds;
      const name = `${secondsBefore.toFixed(6)}\t${end.toFixed(6)}\t${onOneLine(outcome.shownAs)}\n`;
      secondsBefore = end;
      return (severalRecordings ? name : '') + audacityLabels({ ...prediction, detections }, tables);
    },
  };
}

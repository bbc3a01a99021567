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

/** One table over all recordings; a recording that could not be read has no rows (standard error tells). */
export function createCsv({ tables }: OutputFormatInput): OutputFormat {
  return {
    head: surveyCsvHeader(),
    one: (outcome) => {
      if (outcome.kind === 'failed') return '';
      const { prediction, circumstances } = outcome;
      // The path as it was given tells two files of one name in different folders apart.
      const recording = { ...prediction.recording, fileName: outcome.shownAs };
      return surveyCsvRows({ prediction: { ...prediction, recording }, circumstances }, tables);
    },
  };
}

/** One selection table over all recordings, as BirdNET-Analyzer combines them: times run on, `Begin Path` and `File Offset` tell the file. */
export function createRaven({ tables }: OutputFormatInput): OutputFormat {
  let position = ravenStart;
  return {
    head: ravenHeader(tables),
    one: (outcome) => {
      if (outcome.kind === 'failed') return '';
      const { prediction } = outcome;
      // Raven opens the recordings by this path, wherever the table lies.
      const recording = { ...prediction.recording, fileName: outcome.path };
      const { rows, next } = ravenRows({ ...prediction, recording }, position, tables);
      position = next;
      return rows;
    },
  };
}

/** One CSV over all recordings, as BirdNET-Analyzer combines its results; recordings by their whole paths, as there. */
export function createAnalyzer({ tables }: OutputFormatInput): OutputFormat {
  return {
    head: analyzerHeader(),
    one: (outcome) => (outcome.kind === 'failed' ? '' : analyzerRows(outcome, outcome.path, tables)),
  };
}

/** One CSV over all recordings that Kaleidoscope opens beside them. */
export function createKaleidoscope({ tables }: OutputFormatInput): OutputFormat {
  return {
    head: kaleidoscopeHeader(),
    one: (outcome) => (outcome.kind === 'failed' ? '' : kaleidoscopeRows(outcome, outcome.path, tables)),
  };
}

/**
 * One label track. Audacity's labels know no files: of several recordings, times run on as if they lay end to end in one track
 * (Tracks → Align Tracks → Align End to End), and each recording has a label of its own over its whole length.
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

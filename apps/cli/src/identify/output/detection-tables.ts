import { audacityLabels, CSV_HEADER, csvRows, RAVEN_HEADER, ravenRows } from '@chiffchaff/contract';
import type { OutputFormat } from './outcome.ts';

/** One table over all recordings; a recording that could not be read has no rows (standard error tells). */
export function createCsv(): OutputFormat {
  return {
    head: CSV_HEADER,
    one: (outcome) => {
      if (outcome.kind === 'failed') return '';
      const { recording, detections } = outcome.prediction;
      // The path as it was given tells two files of one name in different folders apart.
      return csvRows({ detections, recording: { ...recording, fileName: outcome.shownAs } });
    },
    foot: () => '',
  };
}

/** One selection table over all recordings, as BirdNET-Analyzer combines them: times run on, `Begin Path` and `File Offset` tell the file. */
export function createRaven(): OutputFormat {
  let selectionsBefore = 0;
  let secondsBefore = 0;
  return {
    head: RAVEN_HEADER,
    one: (outcome) => {
      if (outcome.kind === 'failed') return '';
      const { recording, detections } = outcome.prediction;
      // Raven opens the recordings by this path, wherever the table lies.
      const rows = ravenRows(
        { detections, recording: { ...recording, fileName: outcome.path } },
        { selectionsBefore, secondsBefore },
      );
      selectionsBefore += detections.length;
      secondsBefore += recording.durationSeconds;
      return rows;
    },
    foot: () => '',
  };
}

/**
 * One label track. Audacity's labels know no files: of several recordings, times run on as if they lay end to end in one track
 * (Tracks → Align Tracks → Align End to End), and each recording has a label of its own over its whole length.
 */
export function createAudacity({ severalRecordings }: { readonly severalRecordings: boolean }): OutputFormat {
  let secondsBefore = 0;
  return {
    head: '',
    one: (outcome) => {
      if (outcome.kind === 'failed') return '';
      const { recording, detections } = outcome.prediction;
      const shifted = detections.map((detection) => ({
        ...detection,
        startSeconds: secondsBefore + detection.startSeconds,
        endSeconds: secondsBefore + detection.endSeconds,
      }));
      const end = secondsBefore + recording.durationSeconds;
      const name = `${secondsBefore.toFixed(6)}\t${end.toFixed(6)}\t${outcome.shownAs.replace(/\p{Cc}+/gu, ' ')}\n`;
      secondsBefore = end;
      return (severalRecordings ? name : '') + audacityLabels({ recording, detections: shifted });
    },
    foot: () => '',
  };
}

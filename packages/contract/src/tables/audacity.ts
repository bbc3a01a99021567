import { onOneLine, type Tabulated } from './tabulated.ts';

/**
 * A label track of Audacity (File → Import → Labels): `start ⇥ end ⇥ label`, seconds with six digits as Audacity itself writes
 * them. A label track belongs to one recording.
 */
export function audacityLabels({ detections }: Tabulated): string {
  return detections
    .map(
      ({ startSeconds, endSeconds, commonName, score }) =>
        `${startSeconds.toFixed(6)}\t${endSeconds.toFixed(6)}\t${onOneLine(commonName)} ${score.toFixed(2)}\n`,
    )
    .join('');
}

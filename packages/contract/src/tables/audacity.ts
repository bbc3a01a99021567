import { listedDetections, onOneLine, type TableOptions, type Tabulated } from './tabulated.ts';

/**
 * A label track of Audacity (File → Import → Labels): `start ⇥ end ⇥ label`, with six decimals for seconds, as Audacity itself writes them.
 * A label is a name and the model's own score. A label track belongs to one recording.
 */
export function audacityLabels(prediction: Tabulated, options: TableOptions = {}): string {
  return listedDetections(prediction, options)
    .map(
      ({ startSeconds, endSeconds, commonName, score, hidden }) =>
        `${startSeconds.toFixed(6)}\t${endSeconds.toFixed(6)}\t${onOneLine(commonName)} ${score.toFixed(2)}${hidden ? ' (hidden)' : ''}\n`,
    )
    .join('');
}

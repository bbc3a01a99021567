import { RecognizerError } from '../errors.ts';
import type { ModelManifest } from './manifest.ts';

/** `nonBird`: a species that is not a bird. `nonEvent`: another sound (Engine, Noise …), whose label is shown as it is. */
export type LabelKind = 'bird' | 'nonBird' | 'nonEvent';

export interface Label {
  /** Index in the model's output. */
  readonly index: number;
  /** Identifies a species everywhere; for a non-event, its label. */
  readonly scientificName: string;
  /** The name in the label file. */
  readonly labelName: string;
  readonly kind: LabelKind;
}

/** The labels of one model in the order of its output. */
export interface SpeciesTable {
  readonly labels: readonly Label[];
  readonly birdCount: number;
  /** 1 where the label is a bird */
  readonly isBird: Uint8Array;
}

/** A model without its weights: all that is needed to interpret evidence. */
export interface ModelKnowledge {
  readonly manifest: ModelManifest;
  readonly species: SpeciesTable;
}

/**
 * Reads a label file (`Scientific name_Common name`, one per line) and the list of labels that are not birds.
 *
 * @throws RecognizerError `MODEL_MISMATCH` if the number of labels differs from the manifest's, or a listed name is not a label
 */
export function readSpeciesTable(texts: {
  readonly labels: string;
  readonly nonBirds: string;
  readonly manifest: Pick<ModelManifest, 'labels'>;
}): SpeciesTable {
  const expected = texts.manifest.labels;
  const lines = linesOf(texts.labels);
  if (lines.length !== expected.count) throw mismatch(`${lines.length} labels`, `${expected.count} labels`);

  const nonEvents = new Set(expected.nonEvents);
  const nonBirds = new Set(linesOf(texts.nonBirds).map((line) => splitLabel(line).scientificName));
  const labels = lines.map((line, index): Label => {
    const { scientificName, labelName } = splitLabel(line);
    const kind = nonEvents.has(scientificName) ? 'nonEvent' : nonBirds.has(scientificName) ? 'nonBird' : 'bird';
    return { index, scientificName, labelName, kind };
  });

  const names = new Set(labels.map((label) => label.scientificName));
  for (const name of [...nonEvents, ...nonBirds]) {
    if (!names.has(name)) throw mismatch(`"${name}" among the labels that are no birds`, 'names of the label file only');
  }
  return speciesTableOf(labels);
}

/** Creates the table for labels whose kinds are known. */
export function speciesTableOf(labels: readonly Label[]): SpeciesTable {
  const isBird = Uint8Array.from(labels, (label) => (label.kind === 'bird' ? 1 : 0));
  return { labels, isBird, birdCount: isBird.reduce((count, bird) => count + bird, 0) };
}

/** The first word of a scientific name: `Corvus` of `Corvus corone`. */
export function genusOf(scientificName: string): string {
  return scientificName.split(' ', 1)[0] ?? scientificName;
}

function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

function splitLabel(line: string): { scientificName: string; labelName: string } {
  const cut = line.indexOf('_');
  return cut < 0
    ? { scientificName: line, labelName: line }
    : { scientificName: line.slice(0, cut), labelName: line.slice(cut + 1) };
}

function mismatch(found: string, expected: string): RecognizerError {
  return new RecognizerError('MODEL_MISMATCH', { found, expected });
}

/** A row of the CSV that `identify` writes, as far as summaries and segments need it. */
export interface ListedDetection {
  /** of the recording, as in the table */
  readonly file: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly scientificName: string;
  readonly commonName: string;
  /** the model's own, 0–1 */
  readonly score: number;
  /** calibrated, 0–1 */
  readonly confidence: number;
  readonly isHidden: boolean;
  /** empty when unknown */
  readonly site: string;
  /** when it was heard, by the clocks of the place; empty when unknown */
  readonly date: string;
  readonly time: string;
  /** Settings of the analysis; empty when the table does not state them. */
  readonly settings: Readonly<Record<SettingName, string>>;
}

/** Whether a row is about a bird that a person names and the model did not detect. */
export const isOnlyReviewed = (score = '', review = ''): boolean => score === '' && review !== '';

/** A row of the list of recordings beside a table (`NAME.files.csv`). */
export interface ListedFile {
  readonly file: string;
  readonly isAnalyzed: boolean;
  /** 0 when it was not analysed */
  readonly seconds: number;
  readonly site: string;
  /** when it began, by the clocks of the place; empty when unknown */
  readonly date: string;
  readonly time: string;
  /** the same moment; null when unknown */
  readonly epochMs: number | null;
}

export const settingNames = ['Model', 'Min score', 'Min confidence', 'Overlap (s)'] as const;

export type SettingName = (typeof settingNames)[number];

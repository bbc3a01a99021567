import type { WrittenPlace } from '../metadata/written-values.ts';

/** A row of the CSV that `identify` writes, as far as summaries and segments need it. */
export interface ListedDetection {
  /** of the recording, as in the table, with `/` between its parts */
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

/** What exports need besides. */
interface Located {
  readonly place: WrittenPlace | null;
  /** milliseconds since 1970; null when unknown */
  readonly epochMs: number | null;
}
export type LocatedDetection = ListedDetection & Located & { readonly recorder: string };
export type LocatedFile = ListedFile &
  Located & {
    /** Whether part of the recording was missing. */
    readonly endedEarly: boolean;
  };

export const settingNames = ['Model', 'Min score', 'Min confidence', 'Overlap (s)'] as const;

export type SettingName = (typeof settingNames)[number];

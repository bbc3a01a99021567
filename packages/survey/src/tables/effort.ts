import { harmless, seconds, type TableOptions } from '@chiffchaff/contract';
import type { Circumstances } from '../circumstances.ts';
import { utcText } from '../recording-time.ts';
import { csvLine } from './csv.ts';

/** The result for one recording of a survey. */
export interface Effort {
  readonly file: string;
  /** with as many detections of birds as the table has rows; null when it could not be analysed */
  readonly analysed: { readonly seconds: number; readonly detections: number; readonly circumstances: Circumstances } | null;
  /** Why it could not be analysed, or only its beginning; null when there is none. */
  readonly problem: { readonly code: string; readonly message: string } | null;
}

/** One row for every recording, with or without detections: otherwise silence could not be told from missing recordings. */
export const effortHeader = (): string =>
  csvLine('File,State,Seconds,Detections,Site,Latitude,Longitude,Date,Time,UTC,Problem,Message'.split(','));

/** A path as both tables have it. For spreadsheets, it does not begin as a formula does, and still leads to the file. */
export const fileCell = (path: string, { excelSafe = false }: TableOptions): string =>
  excelSafe && harmless(path) !== path ? `./${path}` : path;

export function effortRow({ file, analysed, problem }: Effort, options: TableOptions = {}): string {
  const { site = '', place = null, began = null } = analysed?.circumstances ?? {};
  const safe = options.excelSafe ? harmless : String;
  return csvLine([
    ...[fileCell(file, options), analysed ? 'analysed' : 'failed'],
    ...[analysed && seconds(analysed.seconds), analysed && analysed.detections],
    ...[safe(site), place && place.latitude, place && place.longitude],
    ...[began && began.date, began && began.time, began && utcText(began)],
    ...[problem && problem.code, problem && safe(problem.message)],
  ]);
}

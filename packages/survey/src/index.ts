/** The parts of a survey of many recordings. Runs anywhere: the importing program reads and writes the files. */
export { type Circumstances, circumstancesOf } from './circumstances.ts';
export { createDetectionFilter, type DetectionFilter } from './detection-filter.ts';
export {
  detectionKey,
  type Label,
  labelForm,
  labelLine,
  labelsHeader,
  readLabels,
  undoLine,
  wholeLines,
} from './labels.ts';
export * from './metadata/index.ts';
export { encodingOf } from './read/decode-text.ts';
export type { LocatedDetection, LocatedFile } from './read/listed-detection.ts';
export { readRows } from './read/read-rows.ts';
export { type Cells, createTableReader, readTable } from './read/read-table.ts';
export { type Note, TableError } from './read/table-error.ts';
export { openTable } from './read/tables-of-ours.ts';
export { createReview, type Review, type ReviewedDetection } from './review.ts';
export { type PlannedSegment, planSegments, segmentRow, segmentsHeader } from './segments/plan-segments.ts';
export { type Choice, choices, createSelection } from './segments/selection.ts';
export { findSite, readSites, type Site } from './sites.ts';
export { createSummary } from './summary/create-summary.ts';
export { summaryReport } from './summary/report.ts';
export { effortTable, speciesDaySiteTable, speciesHourTable } from './summary/summary-tables.ts';
export { csvLine, surveyCsvHeader, surveyCsvRows } from './tables/csv.ts';
export { effortHeader, effortRow, fileCell } from './tables/effort.ts';
export { analyzerHeader, analyzerRows, kaleidoscopeHeader, kaleidoscopeRows } from './tables/other-programs.ts';
export { fitThresholds, type SpeciesThreshold } from './thresholds/fit-thresholds.ts';
export { labelledDetections } from './thresholds/labelled-detections.ts';
export { CERTAINTY } from './thresholds/threshold.ts';
export {
  reachesThreshold,
  readThresholds,
  type Thresholds,
  thresholdHeader,
  thresholdRow,
} from './thresholds/threshold-table.ts';

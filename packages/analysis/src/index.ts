/**
 * From a recording file to a prediction: identifies the container, decodes in a limited child process, runs the model, words the answer.
 */

export type * from './analyzer.ts';
export type { Reconsideration } from './answer/question.ts';
export * from './copy/copy-sound.ts';
export { CLIP_MEDIA_TYPE } from './copy/cut-clip.ts';
export { cutSegment, type SegmentFormat } from './copy/cut-segment.ts';
export * from './decode/decode-recording.ts';
export type { DecodedRecording } from './decode/decoded-recording.ts';
export { lengthOf, type Stretch } from './decode/ffmpeg-process.ts';
export { type DecodeLimits, defaultDecodeLimits } from './decode/limits.ts';
export * from './errors.ts';
export * from './ffmpeg/install.ts';
export * from './ffmpeg/locate.ts';
export { readMetadata } from './metadata/read-metadata.ts';
export * from './open-analyzer.ts';
export * from './process/start-analysis-process.ts';
export * from './service/analysis-service.ts';
export * from './service/create-analysis-service.ts';
export { readAliases } from './species/aliases.ts';
export { type ModelNames, openNames } from './species/open-names.ts';
export type { SeasonPlace } from './species/open-seasons.ts';
export { chooseExcerpts } from './stored/choose-excerpts.ts';
export type { Analysis, AnswerHead } from './stored/pack-analysis.ts';
export { type TableName, tableFormats } from './stored/table-formats.ts';
export { openZones } from './zones/open-zones.ts';
export { chooseRegions, readAreas } from './zones/regions.ts';

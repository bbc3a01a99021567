/** From a recording file to a prediction: identifies the container, decodes in a limited child process, listens, words the answer. */

export type * from './analyzer.ts';
export * from './copy/copy-sound.ts';
export * from './create-analyzer.ts';
export * from './decode/decode-recording.ts';
export type { Stretch } from './decode/ffmpeg-process.ts';
export { type DecodeLimits, defaultDecodeLimits } from './decode/limits.ts';
export * from './errors.ts';
export * from './ffmpeg/errors.ts';
export * from './ffmpeg/install.ts';
export * from './ffmpeg/locate.ts';
export * from './process/start-analysis-process.ts';
export * from './service/analysis-service.ts';
export * from './service/create-analysis-service.ts';
export { chooseExcerpts } from './stored/choose-excerpts.ts';
export type { Analysis, AnswerHead } from './stored/pack-analysis.ts';
export { type TableName, tableFormats } from './stored/table-formats.ts';

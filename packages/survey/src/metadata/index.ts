/** What recordings say about themselves. Runs anywhere: bytes are handed in. */
export { type ByteSource, bytesOfBlob } from './bounded-reader.ts';
export { type DateAndPlace, type RecordingMetadata, readRecordingMetadata } from './read-recording-metadata.ts';
export type { WrittenPlace } from './written-values.ts';

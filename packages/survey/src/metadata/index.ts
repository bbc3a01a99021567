/** The metadata of recordings. Runs anywhere: the caller provides the bytes. */
export { type ByteSource, bytesOfBlob } from './bounded-reader.ts';
export {
  type DateAndPlace,
  minutesAheadHere,
  type RecordingMetadata,
  readRecordingMetadata,
  readTags,
} from './read-recording-metadata.ts';
export { createTagReader } from './tag-thread.ts';

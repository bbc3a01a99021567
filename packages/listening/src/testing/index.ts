/** For tests of other rooms: recordings made by code, good and bad. */
export { BAD_RECORDINGS_MAX_SECONDS, type BadRecording, badRecordings } from './bad-recordings.ts';
export { makeWav, type WavShape } from './make-wav.ts';

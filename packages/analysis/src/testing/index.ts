/** For tests of other packages: generated recordings, good and bad, and what set-up has installed. */
export { badRecordings } from './bad-recordings.ts';
export { makeCutRecordings } from './cut-recordings.ts';
export { denseEvidence, noEvidence } from './dense-evidence.ts';
export { hostileRecordings } from './hostile-recordings.ts';
export { ffmpegPath, modelFolderPath } from './installed.ts';
export { makeWav, type WavShape } from './make-wav.ts';
export { samplePrediction } from './sample-prediction.ts';

/** Downloads published files and puts them in place; used to set up the model and ffmpeg. */
export { AcquireError, type AcquireErrorCode, CodedError } from './acquire-error.ts';
export { openZip, type Zip } from './archive.ts';
export { hashFile, mismatch, type Pin, sha256Of, verifyBytes } from './checksum.ts';
export { installAside, putInPlace } from './install-aside.ts';
export { type ObtainOptions, obtainFile, type Source } from './obtain-file.ts';
export { explainWriting, syncFolder, writeDurably } from './write-durably.ts';

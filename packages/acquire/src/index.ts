/** Downloads published files and puts them in place; used to set up the model and ffmpeg. */
export { AcquireError, type AcquireErrorCode, CodedError, codeOf, isDiskFull } from './acquire-error.ts';
export { openZip } from './archive.ts';
export { hashFile, mismatch, type Pin, sha256Of, verifyBytes } from './checksum.ts';
export { installAtomically, putInPlace } from './install-atomically.ts';
export { takeLock } from './lock.ts';
export { type ObtainOptions, obtainFile, type Source } from './obtain-file.ts';
export { syncFolder, writeDurably } from './write-durably.ts';

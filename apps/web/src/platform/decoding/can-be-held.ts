/** Beyond either limit, decoding in the tab would take more memory than a page should. */
const LONGEST_SECONDS = 600;
const LARGEST_BYTES = 100 * 1024 * 1024;
/** Limit for compressed audio of unknown length: a larger file may be longer than `LONGEST_SECONDS`. */
const LARGEST_BYTES_OF_UNKNOWN_LENGTH = 10 * 1024 * 1024;

/** Whether a recording of this size and length fits into the page's memory once decoded. @param durationSeconds null while unknown */
export function canBeHeld(sizeBytes: number, durationSeconds: number | null): boolean {
  if (sizeBytes > LARGEST_BYTES) return false;
  return durationSeconds === null ? sizeBytes <= LARGEST_BYTES_OF_UNKNOWN_LENGTH : durationSeconds <= LONGEST_SECONDS;
}

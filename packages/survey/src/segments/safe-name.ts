/** Names that Windows reserves for devices, whatever follows the first dot. */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i;
/** Characters that FAT, exFAT, NTFS or a shell treat specially, and marks that are invisible or change the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those are to go
const HOSTILE = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufffd]/g;

/**
 * Turns any text into a file or folder name that all common file systems accept: one part of a path, neither hidden nor special.
 *
 * @param maxBytes of its UTF-8
 * @example safeName('../../etc/passwd', 100) // "_.._etc_passwd"
 */
export function safeName(text: string, maxBytes: number): string {
  const plain = text
    .toWellFormed()
    .normalize('NFC')
    .replace(HOSTILE, '_')
    .replace(DEVICE, '_$1')
    .replace(/^[.\s-]+/, '_');
  let name = '';
  let bytes = 0;
  for (const character of plain) {
    bytes += new TextEncoder().encode(character).length;
    if (bytes > maxBytes) break;
    name += character;
  }
  // Windows silently drops these at the end.
  return name.replace(/[.\s]+$/, '') || '_';
}

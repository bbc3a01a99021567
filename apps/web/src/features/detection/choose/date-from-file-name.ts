/**
 * The date that recorders and phones write into a file's name: `20260501_051200.WAV` (AudioMoth, Song Meter),
 * `Recording 2026-05-01.m4a`. Null when there is none, or none that exists.
 */
export function dateFromFileName(name: string): string | null {
  const found = /(?<!\d)((?:19|20)\d\d)([-_.]?)(\d\d)\2(\d\d)(?!\d)/.exec(name);
  if (!found) return null;
  const date = `${found[1]}-${found[3]}-${found[4]}`;
  const parsed = new Date(`${date}T00:00:00Z`);
  return Number.isNaN(parsed.getTime()) || parsed.toISOString().slice(0, 10) !== date ? null : date;
}

const MAX_CHARACTERS = 255;

/**
 * The name of a sent file as it may be shown: its last part only, whatever system it came from, without control and direction
 * characters, and not endless. Null when nothing is left. It never becomes a path.
 */
export function fileNameOf(sent: string | undefined): string | null {
  const name = (sent ?? '')
    .split(/[/\\]/)
    .at(-1)
    ?.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  if (name === undefined || name === '') return null;
  return [...name].slice(0, MAX_CHARACTERS).join('');
}

/** Longest part of a recording's name that a folder takes over, in characters. */
const MOST_CHARACTERS = 80;

/** Signs that some system does not allow in names, and those that turn the direction of what is read. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"/\\|?*]/gu;

/**
 * Names folders after the time and name of recordings, each once.
 *
 * @example createFolderNames()(new Date('2026-05-01T05:12:44Z'), '../morning.wav') // "2026-05-01 051244 morning"
 */
export function createFolderNames(): (createdAt: Date, fileName: string | null) => string {
  const given = new Set<string>();
  return (createdAt, fileName) => {
    const stamp = createdAt.toISOString().replace(/^(.{10})T(..):(..):(..).*$/, '$1 $2$3$4');
    const name = `${stamp} ${stemOf(fileName)}`;
    let free = name;
    // Some systems do not tell capitals apart.
    for (let times = 2; given.has(free.toLowerCase()); times += 1) free = `${name} (${times})`;
    given.add(free.toLowerCase());
    return free;
  };
}

/** A recording's name without its ending, and without anything that could lead out of a folder. */
function stemOf(fileName: string | null): string {
  const stem = (fileName ?? '')
    .toWellFormed()
    .normalize('NFC')
    .replace(/\.[^.]{1,5}$/, '')
    .replaceAll(UNSAFE, '_');
  const short = [...stem].slice(0, MOST_CHARACTERS).join('');
  return short.replaceAll(/^[.\s]+|[.\s]+$/g, '') || 'recording';
}

/** How much of a recording's name is used, in characters. */
const MOST_CHARACTERS = 80;

/** Characters that some system forbids in names, and those that change the direction of text. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"/\\|?*]/gu;

/**
 * Creates unique folder names from the time and name of recordings.
 *
 * @example createFolderNames()(new Date('2026-05-01T05:12:44Z'), '../morning.wav') // "2026-05-01 051244 morning"
 */
export function createFolderNames(): (createdAt: Date, fileName: string | null) => string {
  const given = new Set<string>();
  return (createdAt, fileName) => {
    const stamp = createdAt.toISOString().replace(/^(.{10})T(..):(..):(..).*$/, '$1 $2$3$4');
    const name = `${stamp} ${stemOf(fileName)}`;
    let free = name;
    // Some systems ignore case.
    for (let times = 2; given.has(free.toLowerCase()); times += 1) free = `${name} (${times})`;
    given.add(free.toLowerCase());
    return free;
  };
}

/** A recording's name without its extension and without anything that could lead out of a folder. */
function stemOf(fileName: string | null): string {
  const stem = (fileName ?? '')
    .toWellFormed()
    .normalize('NFC')
    .replace(/\.[^.]{1,5}$/, '')
    .replaceAll(UNSAFE, '_');
  const short = [...stem].slice(0, MOST_CHARACTERS).join('');
  return short.replaceAll(/^[.\s]+|[.\s]+$/g, '') || 'recording';
}

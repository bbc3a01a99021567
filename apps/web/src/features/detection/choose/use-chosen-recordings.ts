import type { DateAndPlace } from '@chiffchaff/survey/metadata';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type FirstLook, lookAt } from '../../../ui/timeline/sound/hindrance.ts';

/** `hindrance` is null until the browser's player has been asked, too. */
export interface ChosenRecording extends FirstLook {
  readonly file: File;
  /** Date and place from its metadata; null while it is being read. */
  readonly metadata: DateAndPlace | null;
}

/** Judged by the media type from the operating system, if it knows one. The server checks the content and decides. */
export const looksUnlikeSound = ({ type }: File): boolean =>
  !/^$|^(audio|video)\/|^application\/(octet-stream|ogg|mp4|mxf|x-matroska)$/.test(type);

const isSameFile = (one: File, other: File): boolean =>
  one === other || (one.name === other.name && one.size === other.size && one.lastModified === other.lastModified);

const unread = (file: File): ChosenRecording => ({ file, metadata: null, hindrance: null, durationSeconds: null });

/** Imported with the first recording, since no screen needs it earlier. */
async function readDateAndPlace(file: File): Promise<DateAndPlace> {
  try {
    const { readFileMetadata } = await import('../../../platform/recording-metadata/read-file-metadata.ts');
    return await readFileMetadata(file);
  } catch {
    // The import failed: treat the recording as one without metadata.
    return { date: null, place: null };
  }
}

/** Number of files read concurrently: a folder may hold hundreds. */
const MOST_READ_AT_ONCE = 4;

/** Limits the number of tasks that run concurrently; the others wait in line. */
function createLine(most: number) {
  const waiting: (() => void)[] = [];
  let free = most;
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

export function useChosenRecordings(first: File | null) {
  const [chosen, setChosen] = useState<readonly ChosenRecording[]>(first ? [unread(first)] : []);
  const begun = useRef(new WeakMap<File, Promise<DateAndPlace>>());
  const [inLine] = useState(() => ({ metadata: createLine(MOST_READ_AT_ONCE), look: createLine(MOST_READ_AT_ONCE) }));
  /** Results since the last render, collected so that many files do not each cause one. */
  const found = useRef(new Map<File, Partial<ChosenRecording>>());

  const tell = useCallback((file: File, part: Partial<ChosenRecording>) => {
    const isFirst = found.current.size === 0;
    found.current.set(file, { ...found.current.get(file), ...part });
    if (!isFirst) return;
    setTimeout(() => {
      const news = found.current;
      found.current = new Map();
      setChosen((present) => present.map((entry) => ({ ...entry, ...news.get(entry.file) })));
    });
  }, []);

  /** Reads a recording's metadata, and asks the browser's player about it; only once per file. */
  const read = useCallback(
    (file: File): Promise<DateAndPlace> => {
      const known = begun.current.get(file);
      if (known) return known;
      const reading = inLine.metadata(() => readDateAndPlace(file));
      begun.current.set(file, reading);
      void reading.then((metadata) => tell(file, { metadata }));
      void inLine.look(() => lookAt(file)).then((look) => tell(file, look));
      return reading;
    },
    [inLine, tell],
  );
  useEffect(() => {
    for (const { file } of chosen) void read(file);
  }, [chosen, read]);

  const add = useCallback((files: readonly File[]) => {
    setChosen((present) => {
      const all = [...present];
      for (const file of files) if (!all.some((one) => isSameFile(one.file, file))) all.push(unread(file));
      return all;
    });
  }, []);
  const remove = useCallback((file: File) => {
    begun.current.delete(file);
    setChosen((present) => present.filter((entry) => entry.file !== file));
  }, []);
  return { chosen, add, remove, read };
}

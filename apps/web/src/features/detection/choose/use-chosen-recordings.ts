import { useCallback, useEffect, useRef, useState } from 'react';
import { type RecordingMetadata, readRecordingMetadata } from './recording-metadata/read-recording-metadata.ts';

export interface ChosenRecording {
  readonly file: File;
  /** What it says of itself; null while that is being read. */
  readonly metadata: RecordingMetadata | null;
}

const isSameFile = (one: File, other: File): boolean =>
  one === other || (one.name === other.name && one.size === other.size && one.lastModified === other.lastModified);

/** The recordings that are chosen but not handed in. The same file is not taken twice. */
export function useChosenRecordings(first: File | null) {
  const [chosen, setChosen] = useState<readonly ChosenRecording[]>(first ? [{ file: first, metadata: null }] : []);
  const reading = useRef(new WeakMap<File, Promise<RecordingMetadata>>());

  /** What a recording says of itself; read once. */
  const read = useCallback((file: File): Promise<RecordingMetadata> => {
    const begun = reading.current.get(file) ?? readRecordingMetadata(file);
    reading.current.set(file, begun);
    return begun;
  }, []);

  useEffect(() => {
    for (const { file, metadata } of chosen)
      if (!metadata)
        void read(file).then((found) =>
          setChosen((present) => present.map((entry) => (entry.file === file ? { file, metadata: found } : entry))),
        );
  }, [chosen, read]);

  const add = useCallback((files: readonly File[]) => {
    setChosen((present) => {
      const known = present.map(({ file }) => file);
      const added: File[] = [];
      for (const file of files) if (![...known, ...added].some((one) => isSameFile(one, file))) added.push(file);
      return [...present, ...added.map((file) => ({ file, metadata: null }))];
    });
  }, []);
  const remove = useCallback((file: File) => setChosen((present) => present.filter((entry) => entry.file !== file)), []);
  return { chosen, add, remove, read };
}

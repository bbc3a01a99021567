import { useCallback, useEffect, useRef, useState } from 'react';
import { findHindrance, type Hindrance } from '../../../ui/timeline/sound/hindrance.ts';
import { type RecordingMetadata, readRecordingMetadata } from './recording-metadata/read-recording-metadata.ts';

export interface ChosenRecording {
  readonly file: File;
  /** What it says of itself; null while that is being read. */
  readonly metadata: RecordingMetadata | null;
  /** What keeps this browser from drawing or playing it; null while that is being looked at, too. */
  readonly hindrance: Hindrance | null;
}

const chosenFrom = (file: File): ChosenRecording => ({ file, metadata: null, hindrance: null });

const isSameFile = (one: File, other: File): boolean =>
  one === other || (one.name === other.name && one.size === other.size && one.lastModified === other.lastModified);

/** The recordings that are chosen but not handed in. The same file is not taken twice. */
export function useChosenRecordings(first: File | null) {
  const [chosen, setChosen] = useState<readonly ChosenRecording[]>(first ? [chosenFrom(first)] : []);
  const looked = useRef(new WeakSet<File>());
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
          setChosen((present) => present.map((entry) => (entry.file === file ? { ...entry, metadata: found } : entry))),
        );
  }, [chosen, read]);

  useEffect(() => {
    for (const { file } of chosen) {
      if (looked.current.has(file)) continue;
      looked.current.add(file);
      void findHindrance(file).then((hindrance) =>
        setChosen((present) => present.map((entry) => (entry.file === file ? { ...entry, hindrance } : entry))),
      );
    }
  }, [chosen]);

  const add = useCallback((files: readonly File[]) => {
    setChosen((present) => {
      const known = present.map(({ file }) => file);
      const added: File[] = [];
      for (const file of files) if (![...known, ...added].some((one) => isSameFile(one, file))) added.push(file);
      return [...present, ...added.map(chosenFrom)];
    });
  }, []);
  const remove = useCallback((file: File) => setChosen((present) => present.filter((entry) => entry.file !== file)), []);
  return { chosen, add, remove, read };
}

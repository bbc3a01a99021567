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

const isSameFile = (one: File, other: File): boolean =>
  one === other || (one.name === other.name && one.size === other.size && one.lastModified === other.lastModified);

export function useChosenRecordings(first: File | null) {
  const [chosen, setChosen] = useState<readonly ChosenRecording[]>(
    first ? [{ file: first, metadata: null, hindrance: null }] : [],
  );
  const begun = useRef(new WeakMap<File, Promise<RecordingMetadata>>());

  /** What a recording says of itself, and what keeps the browser from showing it; looked at once. */
  const read = useCallback((file: File): Promise<RecordingMetadata> => {
    const known = begun.current.get(file);
    if (known) return known;
    const tell = (part: Partial<ChosenRecording>) =>
      setChosen((present) => present.map((entry) => (entry.file === file ? { ...entry, ...part } : entry)));
    const reading = readRecordingMetadata(file);
    begun.current.set(file, reading);
    void reading.then((metadata) => tell({ metadata }));
    void findHindrance(file).then((hindrance) => tell({ hindrance }));
    return reading;
  }, []);
  useEffect(() => {
    for (const { file } of chosen) void read(file);
  }, [chosen, read]);

  const add = useCallback((files: readonly File[]) => {
    setChosen((present) => {
      const all = [...present];
      for (const file of files)
        if (!all.some((one) => isSameFile(one.file, file))) all.push({ file, metadata: null, hindrance: null });
      return all;
    });
  }, []);
  const remove = useCallback((file: File) => {
    begun.current.delete(file);
    setChosen((present) => present.filter((entry) => entry.file !== file));
  }, []);
  return { chosen, add, remove, read };
}

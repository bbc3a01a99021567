/* The recordings that a person has chosen, pasted or dropped, and what is read of each before it is sent. Used by the screen for choosing. */
import type { DateAndPlace } from '@chiffchaff/survey/metadata';
import { queryOptions, useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useEffectEvent, useState } from 'react';
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

export const isSameFile = (one: File, other: File): boolean =>
  one === other || (one.name === other.name && one.size === other.size && one.lastModified === other.lastModified);

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

const [metadataLine, lookLine] = [createLine(MOST_READ_AT_ONCE), createLine(MOST_READ_AT_ONCE)];

/** The same file for `isSameFile`. */
const keyOf = ({ name, size, lastModified }: File, what: string) => ['recording', what, name, size, lastModified];

const metadataQuery = (file: File) =>
  queryOptions({
    queryKey: keyOf(file, 'metadata'),
    queryFn: () => metadataLine(() => readDateAndPlace(file)),
    staleTime: 'static',
  });

/** Asks the browser's player about a recording. */
export const lookQuery = (file: File) =>
  queryOptions({ queryKey: keyOf(file, 'look'), queryFn: () => lookLine(() => lookAt(file)), staleTime: 'static' });

export function useChosenRecordings(first: File | null) {
  const queries = useQueryClient();
  const [files, setFiles] = useState<readonly File[]>(first ? [first] : []);
  const metadata = useQueries({ queries: files.map(metadataQuery) });
  const looks = useQueries({ queries: files.map(lookQuery) });
  const add = useCallback((added: readonly File[]) => {
    setFiles((present) => {
      const all = [...present];
      for (const file of added) if (!all.some((one) => isSameFile(one, file))) all.push(file);
      return all;
    });
  }, []);
  return {
    chosen: files.map((file, index): ChosenRecording => {
      const { hindrance, durationSeconds } = looks[index]?.data ?? { hindrance: null, durationSeconds: null };
      return { file, metadata: metadata[index]?.data ?? null, hindrance, durationSeconds };
    }),
    add,
    remove: (file: File) => setFiles((present) => present.filter((one) => one !== file)),
    read: (file: File): Promise<DateAndPlace> => queries.fetchQuery(metadataQuery(file)),
  };
}

/** Whether a drag carries files rather than text of the page. */
const carriesFiles = ({ dataTransfer }: DragEvent): boolean =>
  dataTransfer !== null &&
  (dataTransfer.types === undefined || [...dataTransfer.types].includes('Files') || dataTransfer.files.length > 0);

/** Takes files that are pasted, or dropped anywhere in the window. @returns whether files are being dragged over it */
export function usePastedOrDroppedFiles(onFiles: (files: readonly File[]) => void): boolean {
  const [dragged, setDragged] = useState(false);
  const take = useEffectEvent((files: FileList | undefined) => {
    if (files && files.length > 0) onFiles([...files]);
  });
  useEffect(() => {
    const controller = new AbortController();
    const on = <Type extends keyof WindowEventMap>(type: Type, handle: (event: WindowEventMap[Type]) => void) =>
      window.addEventListener(type, handle, { signal: controller.signal });
    on('paste', (event) => {
      if (!event.clipboardData?.files.length) return; // leaves pasted text alone
      event.preventDefault();
      take(event.clipboardData.files);
    });
    on('dragover', (event) => carriesFiles(event) && setDragged(true));
    // When the drag moves between elements of the page, `relatedTarget` is the next one.
    on('dragleave', ({ relatedTarget }) => relatedTarget === null && setDragged(false));
    on('drop', ({ dataTransfer }) => {
      setDragged(false);
      take(dataTransfer?.files);
    });
    return () => controller.abort();
  }, []);
  return dragged;
}

/** Keeps the browser from opening a dropped file in place of the page, which would lose its content. */
export function useNoOpeningByDrop(): void {
  useEffect(() => {
    const controller = new AbortController();
    const stay = (event: DragEvent) => {
      if (carriesFiles(event)) event.preventDefault();
    };
    window.addEventListener('dragover', stay, { signal: controller.signal });
    window.addEventListener('drop', stay, { signal: controller.signal });
    return () => controller.abort();
  }, []);
}

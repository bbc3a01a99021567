import { useEffect, useEffectEvent, useState } from 'react';

/** Whether a drag carries files, and not a word of the page. */
const carriesFiles = ({ dataTransfer }: DragEvent): boolean =>
  dataTransfer !== null &&
  (dataTransfer.types === undefined || [...dataTransfer.types].includes('Files') || dataTransfer.files.length > 0);

/** Takes files that are pasted, or dropped anywhere in the window. @returns whether files are being dragged over it */
export function useRecordingsHandedOver(onFiles: (files: readonly File[]) => void): boolean {
  const [dragged, setDragged] = useState(false);
  const take = useEffectEvent((files: FileList | undefined) => {
    if (files && files.length > 0) onFiles([...files]);
  });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    window.addEventListener(
      'paste',
      (event) => {
        if (!event.clipboardData?.files.length) return; // text goes where text goes
        event.preventDefault();
        take(event.clipboardData.files);
      },
      { signal },
    );
    window.addEventListener('dragover', (event) => carriesFiles(event) && setDragged(true), { signal });
    window.addEventListener(
      'dragleave',
      (event) => {
        // Between elements of the page there is another one to go to.
        if (event.relatedTarget === null) setDragged(false);
      },
      { signal },
    );
    window.addEventListener(
      'drop',
      (event) => {
        setDragged(false);
        take(event.dataTransfer?.files);
      },
      { signal },
    );
    return () => controller.abort();
  }, []);
  return dragged;
}

/** Keeps the browser from opening what is dropped in the page's place, which would lose what is on it. */
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

import { useEffect, useEffectEvent, useState } from 'react';

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

import { useEffect, useRef, useState } from 'react';
import { useTranslation } from '../../languages/i18n.ts';
import type { Deleted } from '../../platform/api/last-deletion.ts';
import { useUndo } from '../../platform/api/use-deletion.ts';
import { Button } from '../../ui/button.tsx';
import { FailureLine } from '../../ui/notice.tsx';
import { STAY_MS, Toast } from '../../ui/toast.tsx';

const secondsUntil = (ms: number | null): number => (ms === null ? 0 : Math.max(0, Math.ceil((ms - Date.now()) / 1000)));

export const rowLinkId = (predictionId: string): string => `answer-${predictionId}`;

/** Moves the focus to a prediction's row, else to the screen. Waits until what the list has just received is shown. */
export const focusRow = (predictionId: string | null): void =>
  void setTimeout(() => {
    const row = predictionId === null ? null : document.getElementById(rowLinkId(predictionId));
    if (row) row.focus();
    else document.getElementById('main')?.focus({ preventScroll: true });
  });

/** Shows what was deleted, and offers to restore it while that is possible: that button takes the focus that the deleted item had. */
export function OpenUndoNotice({ deleted }: { readonly deleted: Deleted }) {
  const { t } = useTranslation();
  const { count, restorableUntilMs } = deleted;
  const { undo, forget } = useUndo(focusRow);
  const [left, setLeft] = useState(() => secondsUntil(restorableUntilMs));
  const notice = useRef<HTMLDivElement>(null);
  const text = useRef<HTMLParagraphElement>(null);
  const isOver = left === 0;
  const close = () => {
    const hadFocus = notice.current?.contains(document.activeElement) ?? false;
    forget();
    if (hadFocus) focusRow(null);
  };
  useEffect(() => {
    notice.current?.querySelector('button')?.focus({ preventScroll: true });
    const timer = setInterval(() => setLeft(secondsUntil(restorableUntilMs)), 1000);
    return () => clearInterval(timer);
  }, [restorableUntilMs]);
  useEffect(() => {
    // The button was removed, and the focus with it.
    if (isOver && document.activeElement === document.body) text.current?.focus({ preventScroll: true });
  }, [isOver]);
  return (
    <Toast ref={notice} onClose={close} stayMs={isOver ? STAY_MS : null}>
      <div>
        <p ref={text} tabIndex={-1}>
          {t('history.deleted', { count })}
        </p>
        <p>{isOver ? t('history.forGood') : t('history.undoFor', { count: left })}</p>
      </div>
      {!isOver && (
        <Button isDisabled={undo.isPending} onClick={() => undo.mutate(deleted)}>
          {t('birdReview.undo')}
        </Button>
      )}
      <FailureLine sentence={undo.failure} />
    </Toast>
  );
}

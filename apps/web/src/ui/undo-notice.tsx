import { IconArrowBackUp } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './button.tsx';
import styles from './undo-notice.module.css';
import { useLeaving } from './use-leaving.ts';

interface Properties {
  /** how many were deleted */
  readonly count: number;
  /** milliseconds since 1970; null when nothing can be restored */
  readonly restorableUntilMs: number | null;
  readonly isBusy: boolean;
  readonly onUndo: () => void;
  /** @param hadFocus whether the focus is lost with the notice */
  readonly onClose: (hadFocus: boolean) => void;
}

const secondsUntil = (ms: number | null): number => (ms === null ? 0 : Math.max(0, Math.ceil((ms - Date.now()) / 1000)));

/** Says what was deleted, and offers to restore it while that is possible. Takes the focus that the deleted item had. */
export function UndoNotice({ count, restorableUntilMs, isBusy, onUndo, onClose }: Properties) {
  const { t } = useTranslation();
  const [left, setLeft] = useState(() => secondsUntil(restorableUntilMs));
  const notice = useRef<HTMLDivElement>(null);
  const text = useRef<HTMLParagraphElement>(null);
  const isOver = left === 0;
  const holding = useLeaving(isOver, () => onClose(notice.current?.contains(document.activeElement) ?? false));
  useEffect(() => {
    text.current?.focus({ preventScroll: true });
    setLeft(secondsUntil(restorableUntilMs));
    const timer = setInterval(() => setLeft(secondsUntil(restorableUntilMs)), 1000);
    return () => clearInterval(timer);
  }, [restorableUntilMs]);
  useEffect(() => {
    // The button was removed, and the focus with it.
    if (isOver && document.activeElement === document.body) text.current?.focus({ preventScroll: true });
  }, [isOver]);
  return (
    <div ref={notice} className={styles.undo} {...holding}>
      <p ref={text} tabIndex={-1} role="status">
        {t('history.deleted', { count })}
      </p>
      {!isOver ? (
        <>
          <Button look="main" isDisabled={isBusy} onClick={onUndo}>
            <IconArrowBackUp aria-hidden="true" />
            {t('history.undo')}
          </Button>
          <span className={styles.soft}>{t('history.undoFor', { count: left })}</span>
        </>
      ) : (
        <span className={styles.soft}>{t('history.forGood')}</span>
      )}
      <Button onClick={() => onClose(true)}>{t('layout.close')}</Button>
    </div>
  );
}

import { IconArrowBackUp, IconDownload, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toApiError } from '../../platform/api/api-error.ts';
import { errorSentence } from '../../platform/api/error-sentence.ts';
import { useOpenHttp } from '../../platform/api/open-http.ts';
import { exportAddress } from '../../platform/api/stored-predictions.ts';
import { saveFrom } from '../../platform/browser/save-file.ts';
import { Notice } from '../../ui/notice.tsx';
import { useLeaving } from '../../ui/use-leaving.ts';
import styles from './history.module.css';

/** What can be done with all answers at once: saving them, and, asked twice, deleting them. */
export function AllActions({ onDeleteAll }: { readonly onDeleteAll: () => void }) {
  const { t, i18n } = useTranslation();
  const openHttp = useOpenHttp();
  const [isAsking, setIsAsking] = useState(false);
  const begin = useRef<HTMLButtonElement>(null);
  const save = useMutation({
    mutationFn: async () => exportAddress(await openHttp()),
    onSuccess: (address) => saveFrom(address),
  });
  const close = () => {
    setIsAsking(false);
    // Before the pressed button goes: what is deleted takes the focus; when that fails it stays where it began.
    begin.current?.focus();
  };
  return (
    <>
      {save.error && <Notice tone="warning" title={errorSentence(toApiError(save.error), t, i18n.language)} announce />}
      <div className={styles.actions}>
        <button type="button" className="button button-quiet" aria-disabled={save.isPending} onClick={() => save.mutate()}>
          <IconDownload aria-hidden="true" />
          {t('history.exportAll')}
        </button>
        <button ref={begin} type="button" className="text-button" aria-expanded={isAsking} onClick={() => setIsAsking(!isAsking)}>
          <IconTrash aria-hidden="true" />
          {t('history.deleteAll')}
        </button>
      </div>
      {isAsking && (
        <Notice tone="warning" title={t('history.deleteAllAsk')} announce>
          <p>{t('history.deleteAllHelp')}</p>
          <div className={styles.actions}>
            <button
              type="button"
              className="button"
              onClick={() => {
                close();
                onDeleteAll();
              }}
            >
              {t('history.deleteAllYes')}
            </button>
            <button type="button" className="button button-quiet" onClick={close}>
              {t('history.keepAll')}
            </button>
          </div>
        </Notice>
      )}
    </>
  );
}

export interface Deleted {
  readonly count: number;
  readonly id: string | null;
  /** milliseconds since 1970; null when nothing of it can be brought back */
  readonly restorableUntilMs: number | null;
}

interface Properties {
  readonly deleted: Deleted;
  readonly isBusy: boolean;
  readonly onUndo: () => void;
  /** @param hadFocus the focus goes with it */
  readonly onClose: (hadFocus: boolean) => void;
}

const secondsUntil = (ms: number | null): number => (ms === null ? 0 : Math.max(0, Math.ceil((ms - Date.now()) / 1000)));

/** Says what is gone, and offers to bring it back while that can be done. Takes the focus that what is gone had. */
export function UndoNotice({ deleted, isBusy, onUndo, onClose }: Properties) {
  const { t } = useTranslation();
  const { count, restorableUntilMs } = deleted;
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
    // The button is gone, and the focus that it had with it.
    if (isOver && document.activeElement === document.body) text.current?.focus({ preventScroll: true });
  }, [isOver]);
  return (
    <div ref={notice} className={styles.undo} {...holding}>
      <p ref={text} tabIndex={-1} role="status">
        {t('history.deleted', { count })}
      </p>
      {!isOver ? (
        <>
          <button type="button" className="button" aria-disabled={isBusy} onClick={onUndo}>
            <IconArrowBackUp aria-hidden="true" />
            {t('history.undo')}
          </button>
          <span className={styles.soft}>{t('history.undoFor', { count: left })}</span>
        </>
      ) : (
        <span className={styles.soft}>{t('history.forGood')}</span>
      )}
      <button type="button" className="text-button" onClick={() => onClose(true)}>
        {t('layout.close')}
      </button>
    </div>
  );
}

import { IconDownload, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useOpenHttp } from '../../platform/api/open-http.ts';
import { exportAddress } from '../../platform/api/stored-predictions.ts';
import { useFailureSentence } from '../../platform/api/use-failure-sentence.ts';
import { saveFrom } from '../../platform/browser/save-file.ts';
import { Failure } from '../../ui/failure.tsx';
import { Notice } from '../../ui/notice.tsx';
import styles from './history.module.css';

/** Actions for all predictions: saving them and, after a confirmation, deleting them. */
export function AllActions({ onDeleteAll }: { readonly onDeleteAll: () => void }) {
  const { t } = useTranslation();
  const failureOf = useFailureSentence();
  const openHttp = useOpenHttp();
  const [isAsking, setIsAsking] = useState(false);
  const begin = useRef<HTMLButtonElement>(null);
  const save = useMutation({
    mutationFn: async () => exportAddress(await openHttp()),
    onSuccess: (address) => saveFrom(address),
  });
  const close = () => {
    setIsAsking(false);
    // Before the pressed button disappears. After a deletion, the undo notice takes the focus; if the deletion fails, the focus stays here.
    begin.current?.focus();
  };
  return (
    <>
      <Failure sentence={failureOf(save.error)} />
      <div className={styles.actions}>
        <button type="button" className="button button-secondary" aria-disabled={save.isPending} onClick={() => save.mutate()}>
          <IconDownload aria-hidden="true" />
          {t('history.exportAll')}
        </button>
        <button
          ref={begin}
          type="button"
          className="button button-destructive"
          aria-expanded={isAsking}
          onClick={() => setIsAsking(!isAsking)}
        >
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
              className="button button-destructive"
              onClick={() => {
                close();
                onDeleteAll();
              }}
            >
              {t('history.deleteAllYes')}
            </button>
            <button type="button" className="button" onClick={close}>
              {t('history.keepAll')}
            </button>
          </div>
        </Notice>
      )}
    </>
  );
}

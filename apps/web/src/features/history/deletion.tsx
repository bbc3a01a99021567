import { IconDownload, IconTrash } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { exportAddress } from '../../platform/api/stored-predictions.ts';
import { useCall } from '../../platform/api/use-call.ts';
import { saveFrom } from '../../platform/browser/save-file.ts';
import { Button } from '../../ui/button.tsx';
import { Failure, Notice } from '../../ui/notice.tsx';
import styles from './history.module.css';

/** Actions for all predictions: saving them and, after a confirmation, deleting them. */
export function AllActions({ onDeleteAll }: { readonly onDeleteAll: () => void }) {
  const { t } = useTranslation();
  const [isAsking, setIsAsking] = useState(false);
  const begin = useRef<HTMLButtonElement>(null);
  const save = useCall(exportAddress, { onSuccess: (address) => saveFrom(address) });
  const close = () => {
    setIsAsking(false);
    // Before the pressed button disappears. After a deletion, the undo notice takes the focus; if the deletion fails, the focus stays here.
    begin.current?.focus();
  };
  return (
    <>
      <Failure sentence={save.failure} />
      <div className={styles.actions}>
        <Button isDisabled={save.isPending} onClick={() => save.mutate()}>
          <IconDownload aria-hidden="true" />
          {t('history.exportAll')}
        </Button>
        <Button ref={begin} look="destructive" aria-expanded={isAsking} onClick={() => setIsAsking(!isAsking)}>
          <IconTrash aria-hidden="true" />
          {t('history.deleteAll')}
        </Button>
      </div>
      {isAsking && (
        <Notice tone="warning" title={t('history.deleteAllAsk')} announce>
          <p>{t('history.deleteAllHelp')}</p>
          <div className={styles.actions}>
            <Button
              look="destructive"
              onClick={() => {
                close();
                onDeleteAll();
              }}
            >
              {t('history.deleteAllYes')}
            </Button>
            <Button look="main" onClick={close}>
              {t('history.keepAll')}
            </Button>
          </div>
        </Notice>
      )}
    </>
  );
}

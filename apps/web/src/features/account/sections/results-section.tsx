import { IconTrash } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDeletion } from '../../../platform/api/use-deletion.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure, Notice } from '../../../ui/notice.tsx';
import { Section } from './section.tsx';

/** Deletes all predictions after a confirmation. */
export function ResultsSection() {
  const { t } = useTranslation();
  const remove = useDeletion();
  const [isAsking, setIsAsking] = useState(false);
  const begin = useRef<HTMLButtonElement>(null);
  const close = () => {
    setIsAsking(false);
    // Before the pressed button disappears. After a deletion, the undo notice takes the focus; if the deletion fails, the focus stays here.
    begin.current?.focus();
  };
  return (
    <Section title={t('history.deleteAllTitle')}>
      <p>{t('history.deleteAllText')}</p>
      <Failure sentence={remove.failure} />
      <div className="cluster">
        <Button icon={IconTrash} ref={begin} look="destructive" aria-expanded={isAsking} onClick={() => setIsAsking(!isAsking)}>
          {t('history.deleteAll')}
        </Button>
      </div>
      {isAsking && (
        <Notice tone="warning" title={t('history.deleteAllAsk')} announce>
          <p>{t('history.deleteAllHelp')}</p>
          <div className="cluster">
            <Button
              look="destructive"
              onClick={() => {
                close();
                remove.mutate(null);
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
    </Section>
  );
}

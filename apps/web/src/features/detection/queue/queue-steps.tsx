import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useTranslation } from '../../../languages/i18n.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import type { QueueSnapshot } from './prediction-queue.ts';
import styles from './queue.module.css';

interface Properties {
  readonly queue: QueueSnapshot;
  readonly onList: () => void;
  readonly onShow: (id: string) => void;
}

/** Above a recording that takes the place of the list: the way back, and to the recordings before and after it. */
export function QueueSteps({ queue: { entries, shown }, onList, onShow }: Properties) {
  const { t } = useTranslation();
  const at = entries.findIndex((entry) => entry === shown);
  const step = (to: number, label: string, Icon: typeof IconChevronLeft) => (
    <IconButton
      label={label}
      icon={Icon}
      disabled={entries[to] === undefined}
      onClick={() => entries[to] && onShow(entries[to].id)}
    />
  );
  return (
    <nav className={`line ${styles.steps}`} aria-label={t('choose.total', { count: entries.length })}>
      <Button icon={IconChevronLeft} onClick={onList}>
        {t('batch.list')}
      </Button>
      {shown && (
        <>
          <span className={`soft ${styles.position}`}>{t('batch.position', { at: at + 1, total: entries.length })}</span>
          {step(at - 1, t('batch.previous'), IconChevronLeft)}
          {step(at + 1, t('batch.next'), IconChevronRight)}
        </>
      )}
    </nav>
  );
}

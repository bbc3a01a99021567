import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useStore } from '../../platform/browser/store.ts';
import { formatBytes } from '../../platform/format/format.ts';
import { outbox } from '../../platform/outbox/outbox.ts';
import { useAuthSnapshot } from '../../platform/session/session-context.tsx';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import styles from './account.module.css';

/** Asks a user who signs out what to do with recordings that have not been sent yet. If there are none, it counts as answered. */
export function SignOutQuestion({ onAnswered }: { readonly onAnswered: () => void }) {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const { localId } = useAuthSnapshot().state;
  const waiting = useStore(outbox).entries.filter(({ owner, standing }) => owner === localId && standing !== 'arrived');
  const isOver = waiting.length === 0;
  useEffect(() => {
    if (isOver) onAnswered();
  }, [isOver, onAnswered]);
  if (isOver || localId === null) return null;
  const size = formatBytes(
    waiting.reduce((sum, { bytes }) => sum + bytes, 0),
    i18n.language,
  );
  return (
    <div className={styles.screen}>
      <title>{t('title.login')}</title>
      <Notice tone="information" title={t('outbox.signOutTitle')} announce isScreen>
        <p>{t('outbox.signOut', { count: waiting.length, size })}</p>
        <div className={styles.actions}>
          <Button look="main" onClick={onAnswered}>
            {t('outbox.signOutLeave')}
          </Button>
          <Button look="destructive" onClick={() => void outbox.removeAllOf(localId).then(onAnswered)}>
            {t('outbox.signOutDelete')}
          </Button>
          <Button onClick={() => void navigate('/history', { replace: true })}>{t('outbox.stay')}</Button>
        </div>
      </Notice>
    </div>
  );
}

import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { useTranslation } from '../../languages/i18n.ts';
import { useStore } from '../../platform/browser/store.ts';
import { outbox } from '../../platform/outbox/outbox.ts';
import { deleteSessionsOf } from '../../platform/recording/sessions.ts';
import { useAuthSnapshot } from '../../platform/session/session-context.tsx';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import styles from './account.module.css';

/** Asks a user who signs out what to do with recordings that are only on this device. If there are none, it counts as answered. */
export function SignOutQuestion({ sessions, onAnswered }: { readonly sessions: number; readonly onAnswered: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { localId } = useAuthSnapshot().state;
  const waiting = useStore(outbox).entries.filter(({ owner, standing }) => owner === localId && standing !== 'arrived');
  const count = waiting.length + sessions;
  const isOver = count === 0;
  useEffect(() => {
    if (isOver) onAnswered();
  }, [isOver, onAnswered]);
  if (isOver || localId === null) return null;
  const removeAll = async () => {
    void deleteSessionsOf(localId); // a tab that is recording one ends with the session
    if (waiting.length > 0) await outbox.removeAllOf(localId);
    onAnswered();
  };
  return (
    <div className={`stack measure ${styles.screen}`}>
      <title>{t('title.login')}</title>
      <Notice tone="information" title={t('outbox.signOutTitle')} announce isScreen>
        <p>{t('outbox.signOut', { count })}</p>
        <div className="cluster">
          <Button look="main" onClick={onAnswered}>
            {t('outbox.signOutLeave')}
          </Button>
          <Button look="destructive" onClick={() => void removeAll()}>
            {t('outbox.signOutDelete')}
          </Button>
          <Button onClick={() => void navigate('/history', { replace: true })}>{t('session.stay')}</Button>
        </div>
      </Notice>
    </div>
  );
}

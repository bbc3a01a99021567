import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsOnline } from '../../platform/connection.ts';
import type { FollowedWorker } from '../../platform/service-worker/follow-worker.ts';
import { useIsWorking } from '../../platform/work-in-flight.ts';
import styles from './page-notices.module.css';

/** In a corner of every screen, over nothing that matters: no connection, a new version, ready without a connection. */
export function PageNotices({ worker }: { readonly worker: FollowedWorker }) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const isWorking = useIsWorking();
  const { updateReady, offlineReady } = useSyncExternalStore(worker.subscribe, worker.snapshot);
  const close = (
    <button type="button" className="text-button" onClick={worker.dismiss}>
      {t('worker.close')}
    </button>
  );
  return (
    <div role="status" className={styles.corner}>
      {!isOnline && <p className={styles.notice}>{t('offline.notice')}</p>}
      {updateReady && (
        <div className={styles.notice}>
          <p>{t(isWorking ? 'worker.updateAfterWork' : 'worker.update')}</p>
          <div className={styles.actions}>
            {!isWorking && (
              <button type="button" className="text-button" onClick={worker.acceptUpdate}>
                {t('worker.accept')}
              </button>
            )}
            {close}
          </div>
        </div>
      )}
      {offlineReady && (
        <div className={styles.notice}>
          <p>{t('worker.offlineReady')}</p>
          <div className={styles.actions}>{close}</div>
        </div>
      )}
    </div>
  );
}

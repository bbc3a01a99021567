import { IconCloudOff } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { useTranslation } from '../../languages/i18n.ts';
import { useIsOnline } from '../../platform/browser/connection.ts';
import { leftSession, useStore, workInFlight } from '../../platform/browser/store.ts';
import type { FollowedWorker } from '../../platform/service-worker/follow-worker.ts';
import { isShownHere } from '../../platform/storage/registry.ts';
import { Button } from '../button.tsx';
import { STAY_MS, TOASTS_ID, Toast } from '../toast.tsx';
import styles from './page-notices.module.css';

/** Shown once, just after it has become true. */
const passing = { online: 'offline.over', offlineReady: 'worker.offlineReady' } as const;
type Passing = keyof typeof passing;

/** The latest change that has not been shown long enough; null for none. */
function usePassing(isOnline: boolean, offlineReady: boolean) {
  const [known, setKnown] = useState<{
    readonly isOnline: boolean;
    readonly offlineReady: boolean;
    readonly news: Passing | null;
  }>({ isOnline: true, offlineReady: false, news: null });
  // While the connection is lost, the page says so all the time.
  if (known.isOnline !== isOnline) setKnown({ ...known, isOnline, news: isOnline ? 'online' : null });
  else if (known.offlineReady !== offlineReady)
    setKnown({ ...known, offlineReady, news: offlineReady ? 'offlineReady' : known.news });
  return { news: known.news, end: () => setKnown((now) => ({ ...now, news: null })) };
}

interface Properties {
  readonly worker: FollowedWorker;
  /** A notice that stays until it is over or dismissed, such as the end of a session; null for none. */
  readonly standing: ReactNode;
  /** Offers to undo what was done last. */
  readonly undo?: ReactNode;
}

/**
 * Shows the notices common to all screens. A lost connection is said at the top of the window until it is back. At the bottom edge of the
 * window stands what can be undone, and above it one at a time, so that no two can contradict each other: first the latest news, which
 * disappears after a while, then a recorded session whose screen was left, then the offer of a new version. The standing notice is part of the page.
 */
export function PageNotices({ worker, standing, undo }: Properties) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const isWorking = useStore(workInFlight);
  const { updateReady, offlineReady } = useStore(worker);
  const { news, end } = usePassing(isOnline, offlineReady);
  const left = useStore(leftSession);
  const isLeft = left !== null && isShownHere(left);
  const forget = () => leftSession.set(null);
  return (
    <>
      <div role="status" className={styles.area}>
        {!isOnline && (
          <p className={`line soft small ${styles.lasting}`}>
            <IconCloudOff aria-hidden="true" />
            {t('offline.notice')}
          </p>
        )}
      </div>
      <div id={TOASTS_ID} className={`stack-tight ${styles.edge}`}>
        <div role="status">
          {news !== null && (
            <Toast key={news} onClose={end} stayMs={STAY_MS}>
              <p>{t(passing[news])}</p>
            </Toast>
          )}
          {news === null && isLeft && (
            <Toast onClose={forget}>
              <p>{t('layout.listeningEnded')}</p>
              <Link to="/listen" state={{ ended: left }} className="link" onClick={forget}>
                {t('layout.showHeard')}
              </Link>
            </Toast>
          )}
          {news === null && !isLeft && standing === null && updateReady && (
            <Toast onClose={worker.dismiss}>
              <p>{t(isWorking ? 'worker.updateAfterWork' : 'worker.update')}</p>
              {!isWorking && <Button onClick={worker.acceptUpdate}>{t('worker.accept')}</Button>}
            </Toast>
          )}
        </div>
        {undo}
      </div>
      {standing}
    </>
  );
}

import { IconCloudOff, IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsOnline } from '../../platform/browser/connection.ts';
import { useStore, workInFlight } from '../../platform/browser/store.ts';
import type { FollowedWorker } from '../../platform/service-worker/follow-worker.ts';
import { Button, IconButton } from '../button.tsx';
import { useLeaving } from '../use-leaving.ts';
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

function CloseButton({ onClick }: { readonly onClick: () => void }) {
  const { t } = useTranslation();
  return <IconButton className={styles.close} label={t('worker.close')} icon={IconX} onClick={onClick} />;
}

function PassingNotice({ news, onEnd }: { readonly news: Passing; readonly onEnd: () => void }) {
  const { t } = useTranslation();
  const holding = useLeaving(true, onEnd);
  return (
    <div className={styles.toast} {...holding}>
      <p>{t(passing[news])}</p>
      <CloseButton onClick={onEnd} />
    </div>
  );
}

interface Properties {
  readonly worker: FollowedWorker;
  /** A notice that stays until it is over or dismissed, such as the end of a session; null for none. */
  readonly standing: ReactNode;
}

/**
 * Shows the notices common to all screens. A lost connection is said at the top of the window until it is back. Below, at the bottom of
 * the window, comes one at a time, so that no two can contradict each other: first the latest news, which disappears after a while, then
 * the offer of a new version. The standing notice is part of the page.
 */
export function PageNotices({ worker, standing }: Properties) {
  const { t } = useTranslation();
  const isOnline = useIsOnline();
  const isWorking = useStore(workInFlight);
  const { updateReady, offlineReady } = useStore(worker);
  const { news, end } = usePassing(isOnline, offlineReady);
  return (
    <>
      <div role="status" className={styles.area}>
        {!isOnline && (
          <p className={styles.lasting}>
            <IconCloudOff aria-hidden="true" />
            {t('offline.notice')}
          </p>
        )}
        {news !== null && <PassingNotice key={news} news={news} onEnd={end} />}
        {news === null && standing === null && updateReady && (
          <div className={styles.toast}>
            <div className={styles.words}>
              <p>{t(isWorking ? 'worker.updateAfterWork' : 'worker.update')}</p>
              {!isWorking && <Button onClick={worker.acceptUpdate}>{t('worker.accept')}</Button>}
            </div>
            <CloseButton onClick={worker.dismiss} />
          </div>
        )}
      </div>
      {standing}
    </>
  );
}

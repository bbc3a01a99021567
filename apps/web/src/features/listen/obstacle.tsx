import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { Notice } from '../../ui/notice.tsx';

/**
 * Why this device cannot listen. `insecure`: the address is not https · `unable`: the browser lacks a required feature · `refused`: the
 * user or the system denied the microphone · `missing`: there is none · `busy`: another program uses it · `other`: the browser did
 * not say.
 */
export type Obstacle = 'insecure' | 'unable' | 'refused' | 'missing' | 'busy' | 'other';

/** Obstacles known before the microphone is requested; null if there is none. */
export function findObstacle(): Obstacle | null {
  if (!window.isSecureContext) return 'insecure';
  const canListen =
    'mediaDevices' in navigator &&
    'AudioWorkletNode' in window &&
    'Worker' in window &&
    'locks' in navigator &&
    'groupBy' in Map &&
    'withResolvers' in Promise;
  return canListen ? null : 'unable';
}

const names: { readonly [name: string]: Obstacle } = {
  NotAllowedError: 'refused',
  SecurityError: 'refused',
  NotFoundError: 'missing',
  OverconstrainedError: 'missing',
  NotReadableError: 'busy',
  AbortError: 'busy',
};

/** The obstacle behind an error of `getUserMedia`. */
export const obstacleIn = (error: unknown): Obstacle => (error instanceof DOMException && names[error.name]) || 'other';

const lasting: readonly Obstacle[] = ['insecure', 'unable'];

/** Shows the obstacle, and what works nevertheless. */
export function ObstacleNotice({ obstacle, onRetry }: { readonly obstacle: Obstacle; readonly onRetry: () => void }) {
  const { t } = useTranslation();
  return (
    <Notice
      tone="warning"
      title={t(`listen.obstacle.${obstacle}`)}
      announce
      onRetry={lasting.includes(obstacle) ? undefined : onRetry}
    >
      <p>
        {t(`listen.obstacle.${obstacle}Do`)} <Link to="/process">{t('listen.upload')}</Link>
      </p>
    </Notice>
  );
}

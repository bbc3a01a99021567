import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { Notice } from '../../ui/notice.tsx';
import type { Obstacle } from './obstacle.ts';

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

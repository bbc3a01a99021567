import { useTranslation } from 'react-i18next';
import { timeLabel } from '../../../../platform/format/format.ts';
import styles from './birds.module.css';
import { ACTIVITY_COLUMNS, activityOf, type ListedBird } from './listed-birds.ts';

interface Properties {
  readonly bird: ListedBird;
  readonly durationSeconds: number;
}

/** When a bird was heard during a long recording: the taller a column, the more detections. */
export function ActivityStrip({ bird: { commonName, detections }, durationSeconds }: Properties) {
  const { t } = useTranslation();
  const columns = activityOf(detections, durationSeconds);
  const most = Math.max(...columns);
  if (most === 0) return null;
  const busiest = columns.indexOf(most);
  const columnSeconds = durationSeconds / ACTIVITY_COLUMNS;
  const withHours = durationSeconds >= 3600;
  const label = t('species.strip', {
    name: commonName,
    heard: columns.filter((count) => count > 0).length,
    of: ACTIVITY_COLUMNS,
    from: timeLabel(busiest * columnSeconds, 0, withHours),
    to: timeLabel((busiest + 1) * columnSeconds, 0, withHours),
  });
  return (
    <svg className={styles.activity} viewBox={`0 0 ${ACTIVITY_COLUMNS} 10`} preserveAspectRatio="none" role="img">
      <title>{label}</title>
      {columns.map((count, column) => {
        const height = count === 0 ? 0 : 2 + (8 * count) / most;
        // biome-ignore lint/suspicious/noArrayIndexKey: columns are told by their place
        return count > 0 && <rect key={column} x={column + 0.1} y={10 - height} width={0.8} height={height} />;
      })}
    </svg>
  );
}

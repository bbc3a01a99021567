import { useQuery } from '@tanstack/react-query';
import { useTranslation } from '../../../languages/i18n.ts';
import { coastline } from '../range-map.tsx';
import styles from './life-list.module.css';

/** Degrees around the outermost places. */
const MARGIN = 8;
const SOUTHERNMOST = -60;

/** A map of places, no larger than they need. */
export function FirstPlaces({ places }: { readonly places: readonly { latitude: number; longitude: number }[] }) {
  const { t } = useTranslation();
  const { data: land } = useQuery(coastline);
  const latitudes = places.map(({ latitude }) => latitude);
  const longitudes = places.map(({ longitude }) => longitude);
  const north = Math.min(90, Math.max(...latitudes) + MARGIN);
  const south = Math.max(SOUTHERNMOST, Math.min(...latitudes) - MARGIN);
  // Makes shapes true in the middle of the map.
  const squeeze = Math.cos((((north + south) / 2) * Math.PI) / 180);
  const west = Math.min(...longitudes) - MARGIN / squeeze;
  const width = (Math.max(...longitudes) + MARGIN / squeeze - west) * squeeze;
  return (
    <svg
      className={styles.map}
      viewBox={`${west * squeeze} ${-north} ${width} ${north - south}`}
      role="img"
      aria-label={t('lifeList.map', { count: places.length })}
    >
      <g transform={`scale(${squeeze},1)`}>
        {land && [-360, 0, 360].map((east) => <path key={east} d={land.module} transform={`translate(${east})`} />)}
        {places.map(({ latitude, longitude }) => (
          // A line without length is a dot that is as large on every map.
          <path key={`${latitude} ${longitude}`} d={`M${longitude} ${-latitude}h0`} className={styles.place} />
        ))}
      </g>
    </svg>
  );
}

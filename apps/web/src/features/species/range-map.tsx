import type { RangePeriod, SpeciesProfile, SpeciesRange } from '@chiffchaff/contract';
import { occurrenceToByte } from '@chiffchaff/recognizer';
import { useQuery } from '@tanstack/react-query';
import { useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSpeciesRange } from '../../platform/api/species.ts';
import { regionNames } from '../../platform/format/region-names.ts';
import { importOnce } from '../../ui/lazy-screen.tsx';
import { Notice } from '../../ui/notice.tsx';
import { OCCURRENCE_STEPS } from './occurrence-steps.ts';
import styles from './species.module.css';

/** Loaded with the first map. */
const coastline = importOnce('The coastline', async () => (await import('./coastline.ts')).landPath());

/** Compresses longitudes so that shapes are true at 36° N and S. */
const SQUEEZE = 0.81;
const VIEW = { west: -180 * SQUEEZE, north: -84, width: 360 * SQUEEZE, height: 142 };

/** Where a bird occurs, over the year or in the current week. */
export function RangeMap({ profile }: { readonly profile: SpeciesProfile }) {
  const { t, i18n } = useTranslation();
  const titleId = useId();
  const hatchId = useId();
  const [period, setPeriod] = useState<RangePeriod>('year');
  const { data: land } = useQuery(coastline);
  const range = useSpeciesRange(profile.scientificName, period);
  const paths = useMemo(() => (range.data ? rangePaths(range.data) : []), [range.data]);
  const regions = range.data?.regions.length ? regionNames(range.data.regions, t, i18n.language) : null;
  const isNowhere = range.data != null && paths.every((path) => path === '');
  const name = profile.commonName;
  const label = regions === null ? t('bird.mapOf', { name }) : t('bird.mapOfRegions', { name, regions });
  return (
    <section aria-labelledby={titleId} className={styles.part}>
      <h2 id={titleId}>{t('bird.range')}</h2>
      <fieldset className={styles.periods}>
        <legend className="visually-hidden">{t('bird.period')}</legend>
        {(['year', 'week'] as const).map((one) => (
          <label key={one}>
            <input type="radio" name="period" checked={period === one} onChange={() => setPeriod(one)} />
            {t(`bird.periods.${one}`)}
          </label>
        ))}
      </fieldset>
      {regions !== null && <p>{t(range.data?.week == null ? 'answer.livesIn' : 'bird.nowIn', { regions })}</p>}
      <svg
        className={styles.map}
        viewBox={`${VIEW.west} ${VIEW.north} ${VIEW.width} ${VIEW.height}`}
        role="img"
        aria-label={label}
        aria-busy={range.isPending}
      >
        <pattern id={hatchId} width="3" height="3" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="1" height="3" className={styles.hatch} />
        </pattern>
        <g transform={`scale(${SQUEEZE},1)`}>
          {land &&
            [0, 360].map((east) => <path key={east} d={land.module} className={styles.land} transform={`translate(${east})`} />)}
          {paths.map((path, step) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: steps are told by their place
            <path key={step} d={path} className={styles.cells} data-step={step} fill={`url(#${hatchId})`} />
          ))}
          {land &&
            [0, 360].map((east) => <path key={east} d={land.module} className={styles.coast} transform={`translate(${east})`} />)}
        </g>
      </svg>
      {range.isPending && (
        <p role="status" className={styles.soft}>
          {t('bird.mapComing')}
        </p>
      )}
      {range.isError && <Notice tone="warning" title={t('bird.mapFailed')} onRetry={() => void range.refetch()} />}
      {range.data === null && <p className={styles.soft}>{t('bird.mapUnknown')}</p>}
      {isNowhere && <p>{t(period === 'year' ? 'bird.nowhere' : 'bird.nowhereNow')}</p>}
      <ul className={styles.legend}>
        {([0, 1, 2, SPARSE] as const).map((step) => (
          <li key={step}>
            <span className={styles.swatch} data-step={step} aria-hidden="true" />
            {t(`bird.steps.${step}`)}
          </li>
        ))}
      </ul>
      <p className={styles.soft}>{t('bird.mapNote')}</p>
    </section>
  );
}

/** The step after all others: where the bird is expected, but few people report. */
const SPARSE = 3;

/** The map's drawing: one SVG path per step, in degrees, north up. */
function rangePaths({ cells, sparse, degrees, north, columns, rows }: SpeciesRange): string[] {
  const [bytes, isSparse] = [cells, sparse].map((text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
  const lowest = OCCURRENCE_STEPS.map(occurrenceToByte);
  const stepAt = (row: number, column: number): number => {
    const at = row * columns + column;
    const step = lowest.findLastIndex((byte) => (bytes?.[at] ?? 0) >= byte);
    return step >= 0 && isSparse?.[at] === 1 ? SPARSE : step;
  };
  const paths = [...OCCURRENCE_STEPS, SPARSE].map(() => '');
  for (let row = 0; row < rows; row++) {
    // Merges adjacent cells of one step into a rectangle.
    let begun = 0;
    for (let column = 0; column <= columns; column++) {
      const step = stepAt(row, begun);
      if (column < columns && stepAt(row, column) === step) continue;
      if (step >= 0) {
        const width = (column - begun) * degrees;
        paths[step] += `M${begun * degrees - 180} ${row * degrees - north}h${width}v${degrees}h${-width}z`;
      }
      begun = column;
    }
  }
  return paths;
}

import { type RangePeriod, rangeGrid, type SpeciesProfile, type SpeciesRange } from '@chiffchaff/contract';
import { occurrenceToByte } from '@chiffchaff/recognizer';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useId, useMemo, useState } from 'react';
import { useTranslation } from '../../languages/i18n.ts';
import { useSpeciesRange } from '../../platform/api/species.ts';
import { regionNames } from '../../platform/format/region-names.ts';
import { importOnce } from '../../ui/lazy-screen.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/section.tsx';
import { OCCURRENCE_STEPS } from './occurrence-steps.ts';
import styles from './species.module.css';

/** Loaded with the first map. */
export const coastline = importOnce('The coastline', async () => (await import('./coastline.ts')).landPath());

/** Compresses longitudes so that shapes are true at 36° N and S. */
const SQUEEZE = 0.81;
/** Width by height of every map, so that it needs no more room when it has loaded. */
const ASPECT = 2;
/** The frame reaches beyond the date line, and so do shores. */
const TURNS = [0, 360, 720];
/** Degrees around the range that are shown. */
const MARGIN = 10;

/** Where a bird occurs, over the year or in the current week. */
export function RangeMap({ profile }: { readonly profile: SpeciesProfile }) {
  const { t, i18n } = useTranslation();
  const [hatchId, landId, cellsId] = [useId(), useId(), useId()];
  const [period, setPeriod] = useState<RangePeriod>('year');
  const { data: land } = useQuery(coastline);
  const { data, isError, refetch } = useSpeciesRange(profile.scientificName, period);
  const ofYear = useDeferredValue(useSpeciesRange(profile.scientificName, 'year').data);
  const range = useDeferredValue(data);
  const isPending = range === undefined && !isError;
  const paths = useMemo(() => (range ? rangePaths(range) : []), [range]);
  // The same for both periods, so that they can be compared.
  const { west, north, width, height } = useMemo(() => frameOf(ofYear ?? null), [ofYear]);
  const regions = range?.regions.length ? regionNames(range.regions, t, i18n.language) : null;
  const isNowhere = range != null && paths.every((path) => path === '');
  const name = profile.commonName;
  const label = regions === null ? t('bird.mapOf', { name }) : t('bird.mapOfRegions', { name, regions });
  return (
    <Section title={t('bird.range')}>
      <fieldset className="cluster">
        <legend className="visually-hidden">{t('bird.period')}</legend>
        {(['year', 'week'] as const).map((one) => (
          <label key={one} className="line finger">
            <input type="radio" name="period" checked={period === one} onChange={() => setPeriod(one)} />
            {t(`bird.periods.${one}`)}
          </label>
        ))}
      </fieldset>
      <p>{regions === null ? '\u00a0' : t(range?.week == null ? 'answer.livesIn' : 'bird.nowIn', { regions })}</p>
      <svg
        className={styles.map}
        viewBox={`${west * SQUEEZE} ${-north} ${width * SQUEEZE} ${height}`}
        role="img"
        aria-label={label}
        aria-busy={isPending}
      >
        <defs>
          <pattern
            id={hatchId}
            width="3"
            height="3"
            patternUnits="userSpaceOnUse"
            patternTransform={`scale(${width / 450}) rotate(45)`}
          >
            <rect width="1" height="3" className={styles.hatch} />
          </pattern>
          {land && <path id={landId} d={land.module} vectorEffect="non-scaling-stroke" />}
          <g id={cellsId}>
            {paths.map((path, step) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: steps are told by their place
              <path key={step} d={path} className={styles.cells} data-step={step} fill={`url(#${hatchId})`} />
            ))}
          </g>
        </defs>
        <g transform={`scale(${SQUEEZE},1)`}>
          {[[landId, styles.land], [cellsId], [landId, styles.coast]].map(([id, className], layer) =>
            // biome-ignore lint/suspicious/noArrayIndexKey: never reordered
            TURNS.map((east) => <use key={`${layer} ${east}`} href={`#${id}`} x={east} className={className} />),
          )}
        </g>
      </svg>
      {isPending && (
        <p role="status" className="small soft">
          {t('bird.mapComing')}
        </p>
      )}
      {isError && <Notice tone="warning" title={t('bird.mapFailed')} onRetry={() => void refetch()} />}
      {range === null && <p className="small soft">{t('bird.mapUnknown')}</p>}
      {isNowhere && <p>{t(period === 'year' ? 'bird.nowhere' : 'bird.nowhereNow')}</p>}
      <ul className="cluster small soft">
        {([0, 1, 2, SPARSE] as const).map((step) => (
          <li key={step}>
            <span className={styles.swatch} data-step={step} aria-hidden="true" />
            {t(`bird.steps.${step}`)}
          </li>
        ))}
      </ul>
      <p className="small soft">{t('bird.mapNote')}</p>
    </Section>
  );
}

/** The step after all others: where the bird is expected, but few people report. */
const SPARSE = 3;

/** The step of each cell; −1 where the bird is not expected. */
function stepsOf({ cells, sparse }: SpeciesRange): number[] {
  const [bytes = [], isSparse = []] = [cells, sparse].map((text) => Array.from(atob(text), (one) => one.charCodeAt(0)));
  const lowest = OCCURRENCE_STEPS.map(occurrenceToByte);
  return bytes.map((byte, cell) => {
    const step = lowest.findLastIndex((from) => byte >= from);
    return step >= 0 && isSparse[cell] === 1 ? SPARSE : step;
  });
}

/** The map's drawing: one SVG path per step, in degrees, north up. */
function rangePaths(range: SpeciesRange): string[] {
  const { degrees, north, columns, rows } = range;
  const steps = stepsOf(range);
  const paths = [...OCCURRENCE_STEPS, SPARSE].map(() => '');
  for (let row = 0; row < rows; row++) {
    const ofRow = steps.slice(row * columns, (row + 1) * columns);
    // Merges adjacent cells of one step into a rectangle.
    let begun = 0;
    for (let column = 0; column <= columns; column++) {
      const step = ofRow[begun] ?? -1;
      if (column < columns && ofRow[column] === step) continue;
      if (step >= 0) {
        const width = (column - begun) * degrees;
        paths[step] += `M${begun * degrees - 180} ${row * degrees - north}h${width}v${degrees}h${-width}z`;
      }
      begun = column;
    }
  }
  return paths;
}

/** What the map shows: the range and some degrees around it; the world until it is known. Degrees, east and north. */
function frameOf(range: SpeciesRange | null) {
  const steps = range === null ? [] : stepsOf(range);
  const { degrees, north, columns, rows } = range ?? rangeGrid;
  const isSure = steps.some((step) => step >= 0 && step !== SPARSE);
  const cells = steps.flatMap((step, cell) => (step >= 0 && (step !== SPARSE || !isSure) ? [cell] : []));
  const used = [...new Set(cells.map((cell) => cell % columns))].sort((one, other) => one - other);
  // The widest stretch without the bird is left out, wherever it is on the globe.
  const gaps = used.map((column, at) => column - (used[at - 1] ?? (used.at(-1) ?? 0) - columns));
  const widest = Math.max(1, ...gaps);
  const first = used[gaps.indexOf(widest)] ?? 0;
  const top = north - (cells.length === 0 ? 0 : Math.floor((cells[0] ?? 0) / columns)) * degrees + MARGIN;
  const bottom = north - (cells.length === 0 ? rows : Math.floor((cells.at(-1) ?? 0) / columns) + 1) * degrees - MARGIN;
  const wanted = (columns - widest + 1) * degrees + 2 * MARGIN;
  const width = Math.min(360, Math.max(wanted, ((top - bottom) * ASPECT) / SQUEEZE));
  const height = (width * SQUEEZE) / ASPECT;
  const west = first * degrees - 180 - MARGIN - (width - wanted) / 2;
  return {
    west: ((((west + 180) % 360) + 360) % 360) - 180,
    // The grid's edges are the map's, if it is not higher.
    north: Math.max(north - rows * degrees + height, Math.min(north, (top + bottom + height) / 2)),
    ...{ width, height },
  };
}

import type { Prediction } from '@chiffchaff/contract';
import { useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { timeLabel } from '../../../../platform/format/format.ts';
import { languageTag } from '../../../../platform/format/species-language.ts';
import { useWords } from '../../../../platform/format/words.ts';
import { CheckBox } from '../../../../ui/form/check-box.tsx';
import { ReviewedName, reviewOf } from '../../../../ui/reviews/reviewed-name.tsx';
import { SpeciesLink } from '../../../../ui/species/species-link.tsx';
import styles from '../answer.module.css';
import { PlayButton } from '../play-button.tsx';
import { ACTIVITY_COLUMNS, activityOf, bySureness, type SpeciesActivity } from './activity.ts';
import { DetectionTable } from './detection-table.tsx';
import own from './detections.module.css';

const SPECIES_AT_FIRST = 25;

const orders = {
  sure: bySureness,
  count: (one: SpeciesActivity, other: SpeciesActivity) => other.detections.length - one.detections.length,
  first: (one: SpeciesActivity, other: SpeciesActivity) => one.firstSeconds - other.firstSeconds,
  name: (one: SpeciesActivity, other: SpeciesActivity) => one.commonName.localeCompare(other.commonName),
} as const;
type Order = keyof typeof orders;
const isOrder = (value: string): value is Order => Object.hasOwn(orders, value);

/** When a bird was heard during the recording: the taller a column, the more detections. */
function ActivityStrip({
  species: { columns, commonName },
  durationSeconds,
}: {
  readonly species: SpeciesActivity;
  readonly durationSeconds: number;
}) {
  const { t } = useTranslation();
  const most = Math.max(...columns);
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
    <svg className={own.strip} viewBox={`0 0 ${ACTIVITY_COLUMNS} 10`} preserveAspectRatio="none" role="img">
      <title>{label}</title>
      {columns.map((count, column) => {
        const height = count === 0 ? 0 : 2 + (8 * count) / most;
        // biome-ignore lint/suspicious/noArrayIndexKey: columns are told by their place
        return count > 0 && <rect key={column} x={column + 0.1} y={10 - height} width={0.8} height={height} />;
      })}
    </svg>
  );
}

function SpeciesRow({ species, prediction }: { readonly species: SpeciesActivity; readonly prediction: Prediction }) {
  const { t, i18n } = useTranslation();
  const words = useWords();
  const [isOpen, setIsOpen] = useState(false);
  const tableId = useId();
  const { commonName, scientificName, detections, firstSeconds, best, confidence, isHidden } = species;
  const { durationSeconds } = prediction.recording;
  const certainty = (): string => {
    if (isHidden) return t('table.hidden');
    return confidence === null ? t('species.lessCertain') : words.describe({ confidence });
  };
  const count = new Intl.NumberFormat(i18n.language).format(detections.length);
  return (
    <li className={own.species}>
      <div>
        <h3 className={own.name}>
          <button
            type="button"
            className={own.open}
            aria-expanded={isOpen}
            aria-controls={tableId}
            onClick={() => setIsOpen(!isOpen)}
          >
            <span aria-hidden="true">{isOpen ? '▾ ' : '▸ '}</span>
            <ReviewedName
              name={commonName}
              language={languageTag(prediction.conditions.language)}
              review={reviewOf(prediction.reviews, scientificName)}
            />
          </button>{' '}
          <SpeciesLink scientificName={scientificName} commonName={commonName} />
        </h3>
        <p className={styles.soft}>
          {certainty()} · {t('species.count', { count: detections.length, number: count })} ·{' '}
          {t('answer.firstHeard', { at: timeLabel(firstSeconds) })}
        </p>
      </div>
      <PlayButton name={commonName} passage={best} isBest />
      <ActivityStrip species={species} durationSeconds={durationSeconds} />
      <div id={tableId} className={own.detections} hidden={!isOpen}>
        {isOpen && (
          <DetectionTable
            prediction={prediction}
            detections={detections}
            rowsAtFirst={20}
            label={t('species.table', { name: commonName })}
          />
        )}
      </div>
    </li>
  );
}

/** The species of a long recording, each with how often and when it was heard; its detections open below it. */
export function SpeciesOverview({ prediction }: { readonly prediction: Prediction }) {
  const { t } = useTranslation();
  const fieldId = useId();
  const [order, setOrder] = useState<Order>('sure');
  const [search, setSearch] = useState('');
  const [withFaint, setWithFaint] = useState(false);
  const [all, setAll] = useState(false);
  const species = useMemo(() => activityOf(prediction), [prediction]);
  const faint = species.filter(({ isNamed }) => !isNamed).length;
  const isFaintShown = withFaint || faint === species.length;
  const wanted = search.trim().toLocaleLowerCase();
  const found = species
    .filter(({ isNamed }) => isFaintShown || isNamed)
    .filter(({ commonName, scientificName }) => `${commonName} ${scientificName}`.toLocaleLowerCase().includes(wanted))
    .toSorted(orders[order]);
  return (
    <>
      <div className={own.controls}>
        <label htmlFor={`${fieldId}-search`}>
          {t('species.search')}
          <input id={`${fieldId}-search`} type="search" value={search} onChange={({ target }) => setSearch(target.value)} />
        </label>
        <label htmlFor={`${fieldId}-order`}>
          {t('species.order')}
          <select
            id={`${fieldId}-order`}
            value={order}
            onChange={({ target }) => isOrder(target.value) && setOrder(target.value)}
          >
            {Object.keys(orders)
              .filter(isOrder)
              .map((by) => (
                <option key={by} value={by}>
                  {t(`species.by.${by}`)}
                </option>
              ))}
          </select>
        </label>
        {faint > 0 && faint < species.length && (
          <CheckBox name="withFaint" checked={withFaint} onChange={setWithFaint}>
            {t('species.withFaint', { count: faint })}
          </CheckBox>
        )}
      </div>
      <p role="status" className={styles.soft}>
        {t('species.found', { count: found.length })}
      </p>
      <ul className={own.list}>
        {(all ? found : found.slice(0, SPECIES_AT_FIRST)).map((one) => (
          <SpeciesRow key={one.scientificName} species={one} prediction={prediction} />
        ))}
      </ul>
      {!all && found.length > SPECIES_AT_FIRST && (
        <button type="button" className="text-button" onClick={() => setAll(true)}>
          {t('species.all', { count: found.length })}
        </button>
      )}
    </>
  );
}

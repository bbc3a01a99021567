import { namedBirds } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { formatList } from '../../../../platform/format/format.ts';
import styles from '../answer.module.css';
import { DetectionTable } from './detection-table.tsx';
import { SpeciesOverview } from './species-overview.tsx';
import { AllDetections, type AllDetectionsProperties, TableDownloads } from './table-downloads.tsx';

/** From this length or number of detections on, the section lists species, and their detections on demand. */
const LONG_SECONDS = 600;
const MANY_DETECTIONS = 50;

/** All detections: as a table, or grouped by species for a long recording; with downloads. */
export function DetectionsSection({ prediction, isKept }: AllDetectionsProperties) {
  const { t, i18n } = useTranslation();
  const { detections, conditions, recording } = prediction;
  const score = new Intl.NumberFormat(i18n.language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const isLong = recording.durationSeconds >= LONG_SECONDS || detections.length > MANY_DETECTIONS;
  const detected = new Set(detections.map(({ scientificName }) => scientificName));
  const withoutDetection = namedBirds(prediction).filter(({ scientificName }) => !detected.has(scientificName));
  const birds = formatList(
    withoutDetection.map(({ commonName }) => commonName),
    i18n.language,
  );
  return (
    <section aria-labelledby="table-title" className={styles.section}>
      <h2 id="table-title">{t('table.title')}</h2>
      {detections.length === 0 ? (
        <p className={styles.soft}>{t('table.none', { minScore: score.format(conditions.minScore) })}</p>
      ) : isLong ? (
        <SpeciesOverview prediction={prediction} />
      ) : (
        <DetectionTable prediction={prediction} detections={detections} rowsAtFirst={10} withBird />
      )}
      {detections.length > 0 && birds !== '' && <p className={styles.soft}>{t('table.without', { birds })}</p>}
      {detections.length > 0 && <TableDownloads prediction={prediction} />}
      <AllDetections prediction={prediction} isKept={isKept} />
    </section>
  );
}

import { EXPECTED_FROM, monthsOf, type SpeciesProfile } from '@chiffchaff/contract';
import { weekOf } from '@chiffchaff/recognizer';
import { type Translate, useTranslation } from '../../languages/i18n.ts';
import { useSeasonPlace } from '../../platform/api/season-place.ts';
import { useSpeciesSeason } from '../../platform/api/species.ts';
import { dateLocale, formatList, formatPercent } from '../../platform/format/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/section.tsx';
import styles from './species.module.css';

const WEEKS_A_MONTH = 4;
const NO_WEEKS = Array<number>(48).fill(0);

interface ChartProperties {
  readonly weeks: readonly number[];
  readonly isSparse: boolean;
  readonly label: string;
}

function Chart({ weeks, isSparse, label }: ChartProperties) {
  const { i18n } = useTranslation();
  const short = new Intl.DateTimeFormat(i18n.language, { month: 'narrow', timeZone: 'UTC' });
  const most = Math.max(...weeks, 0.01);
  const now = new Date();
  const present = weekOf(now.getMonth() + 1, now.getDate()) - 1;
  return (
    <>
      <div className={styles.weeks} role="img" aria-label={label} data-sparse={isSparse || undefined}>
        {weeks.map((value, week) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: weeks are told by their place
          <span key={week} style={{ blockSize: `${(value / most) * 100}%` }} data-now={week === present || undefined} />
        ))}
      </div>
      <div className={`small soft ${styles.months}`} aria-hidden="true">
        {Array.from({ length: weeks.length / WEEKS_A_MONTH }, (_, month) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: months are told by their place
          <span key={month}>{short.format(Date.UTC(2001, month, 1))}</span>
        ))}
      </div>
    </>
  );
}

/** How likely a bird is at this device's place, week by week. */
export function SeasonChart({ profile }: { readonly profile: SpeciesProfile }) {
  const { t, i18n } = useTranslation();
  const where = useSeasonPlace();
  const season = useSpeciesSeason(profile.scientificName, where?.place ?? null);
  const locale = dateLocale(i18n.language);
  // Until it has come, an empty chart keeps its room.
  const weeks = season.isLoading ? NO_WEEKS : season.data?.weeks;
  const isSparse = season.data?.sparse ?? false;
  const found = weeks && (isSparse ? t('bird.season.sparse') : inWords(weeks, t, locale));
  const words = season.isLoading ? t('bird.season.coming') : found;
  return (
    <Section title={t('bird.season.title')}>
      <p className="small soft">{where?.name ?? t('bird.season.noPlace')}</p>
      {words && <p role="status">{words}</p>}
      {weeks && words && (season.isLoading || Math.max(...weeks) >= EXPECTED_FROM) && (
        <>
          <Chart weeks={weeks} isSparse={isSparse} label={t('bird.season.label', { name: profile.commonName, words })} />
          <p className="small soft" style={{ visibility: season.isLoading ? 'hidden' : undefined }}>
            {t('bird.season.note', { most: formatPercent(Math.max(...weeks), i18n.language) })}
            {where?.isAssumed && ` ${t('bird.season.assumed')}`}
          </p>
        </>
      )}
      {season.isError && <Notice tone="warning" title={t('bird.season.failed')} onRetry={() => void season.refetch()} />}
      {season.data === null && <p className="small soft">{t('bird.season.unknown')}</p>}
    </Section>
  );
}

/** `April to July`, where a bird is most likely in these months */
function inWords(weeks: readonly number[], t: Translate, language: string): string {
  if (Math.max(...weeks) < EXPECTED_FROM) return t('bird.season.absent');
  const { isThere } = monthsOf(weeks);
  if (isThere.every(Boolean)) return t('bird.season.allYear');
  const month = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' });
  const nameOf = (index: number): string => month.format(Date.UTC(2001, index, 1));
  const { length } = isThere;
  const firsts = isThere.flatMap((is, at) => (is && !isThere[(at + length - 1) % length] ? [at] : []));
  const spans = firsts.map((first) => {
    const months = isThere.findIndex((_, step) => !isThere[(first + step) % length]);
    return months === 1 ? nameOf(first) : t('bird.span', { from: nameOf(first), to: nameOf(first + months - 1) });
  });
  return t('bird.season.weeks', { spans: formatList(spans, language) });
}

import { predictionDaysSchema } from '@chiffchaff/contract';
import { useId } from 'react';
import { useTranslation } from '../../languages/i18n.ts';
import { useRecord } from '../../platform/api/use-record.ts';
import { dateLocale } from '../../platform/format/format.ts';
import styles from './calendar-strip.module.css';

interface Count {
  /** `2026-05` or `2026-05-03` */
  readonly on: string;
  readonly predictions: number;
}

interface Properties {
  readonly chosen: string | null;
  readonly onChoose: (on: string | null) => void;
}

/**
 * Months, and the days of the chosen one, each with the number of predictions for recordings of that time; choosing one filters the list.
 */
export function CalendarStrip({ chosen, onChoose }: Properties) {
  const { t, i18n } = useTranslation();
  const titleId = useId();
  const { data } = useRecord('predictions', '/v1/predictions/days', predictionDaysSchema);
  const days = data?.days.map(({ day, predictions }) => ({ on: day, predictions })) ?? [];
  const months = [...Map.groupBy(days, ({ on }) => on.slice(0, 7))].map(([on, ofMonth]) => ({
    on,
    predictions: ofMonth.reduce((sum, { predictions }) => sum + predictions, 0),
  }));
  const month = chosen?.slice(0, 7) ?? null;
  const locale = dateLocale(i18n.language);
  // In UTC, so that no time zone shifts the date.
  const monthName = new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric', timeZone: 'UTC' });
  const dayName = new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', timeZone: 'UTC' });
  const named = (format: Intl.DateTimeFormat, on: string) => format.format(new Date(on));
  if (days.length === 0) return data ? null : <div className={styles.calendar} />;
  return (
    <section aria-labelledby={titleId} className={`stack-tight ${styles.calendar}`}>
      <h2 id={titleId} className={styles.title}>
        {t('history.calendar')}
      </h2>
      <Counts
        counts={months}
        chosen={month}
        nameOf={(on) => named(monthName, on)}
        onChoose={(on) => onChoose(on === month ? null : on)}
      />
      {month !== null && (
        <Counts
          counts={days.filter(({ on }) => on.startsWith(month)).toReversed()}
          chosen={chosen}
          nameOf={(on) => named(dayName, on)}
          onChoose={(on) => onChoose(on === chosen ? month : on)}
        />
      )}
    </section>
  );
}

interface CountsProperties {
  readonly counts: readonly Count[];
  readonly chosen: string | null;
  readonly nameOf: (on: string) => string;
  readonly onChoose: (on: string) => void;
}

function Counts({ counts, chosen, nameOf, onChoose }: CountsProperties) {
  const { t } = useTranslation();
  const most = Math.max(...counts.map(({ predictions }) => predictions));
  return (
    <ul className={`plain ${styles.counts}`}>
      {counts.map(({ on, predictions }) => (
        <li key={on}>
          <button type="button" className={styles.count} aria-pressed={chosen === on} onClick={() => onChoose(on)}>
            <span className={styles.bar} style={{ blockSize: `${Math.round((predictions / most) * 100)}%` }} />
            <span>{nameOf(on)}</span>
            <span className="visually-hidden">, </span>
            <span className={styles.number}>{t('history.answers', { count: predictions })}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

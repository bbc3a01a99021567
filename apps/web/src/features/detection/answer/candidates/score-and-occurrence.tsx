import type { Candidate } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import styles from '../answer.module.css';

/** From here on a bird is called expected; below the model's own limit it counts as rare (`unusualHere`). */
const expectedFrom = 0.2;

type Expectation = 'noPlace' | 'rare' | 'possible' | 'expected';

/** How far a bird is to be expected at the place and in the week. */
export function expectationOf({ occurrence, unusualHere }: Pick<Candidate, 'occurrence' | 'unusualHere'>): Expectation {
  if (occurrence === null) return 'noPlace';
  if (unusualHere) return 'rare';
  return occurrence >= expectedFrom ? 'expected' : 'possible';
}

/** What the sound says and what place and season say, side by side: neither is worked into the other. */
export function TwoReadings({ candidate, isHidden }: { readonly candidate: Candidate; readonly isHidden: boolean }) {
  const { t, i18n } = useTranslation();
  const { score, occurrence } = candidate;
  const decimals = new Intl.NumberFormat(i18n.language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const readings = [
    { name: t('readings.sound'), share: score, text: t('readings.score', { score: decimals.format(score) }) },
    { name: t('readings.place'), share: occurrence, text: t(`readings.${isHidden ? 'rare' : expectationOf(candidate)}`) },
  ];
  return (
    <dl className={styles.readings}>
      {readings.map(({ name, share, text }) => (
        <div key={name} className={styles.reading}>
          <dt>{name}</dt>
          <dd>
            {share !== null && (
              <span className={styles.readingBar} aria-hidden="true">
                <span style={{ width: `${share * 100}%` }} />
              </span>
            )}
            {text}
          </dd>
        </div>
      ))}
    </dl>
  );
}

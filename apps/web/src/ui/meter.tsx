import styles from './meter.module.css';

interface Properties {
  readonly label: string;
  /** 0–1 */
  readonly value: number;
  readonly text: string;
  /** Where the words change, 0–1; shown as small notches. */
  readonly notches: readonly number[];
}

export function Meter({ label, value, text, notches }: Properties) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: the browsers' own meter cannot be styled with notches
    <div
      className={styles.meter}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(value * 100)}
      aria-valuetext={text}
    >
      <div className={styles.value} style={{ width: `${value * 100}%` }} />
      {notches.map((notch) => (
        <div key={notch} className={styles.notch} style={{ left: `${notch * 100}%` }} />
      ))}
    </div>
  );
}

import styles from './meter.module.css';

interface Properties {
  readonly label: string;
  /** 0–1 */
  readonly value: number;
  readonly text: string;
  /** The value from which each square is filled, in ascending order. */
  readonly steps: readonly number[];
}

/** How sure something is, in squares of ink. */
export function Meter({ label, value, text, steps }: Properties) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: the browsers' own meter has no squares
    <div
      className={styles.meter}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(value * 100)}
      aria-valuetext={text}
    >
      {steps.map((step) => (
        <span key={step} data-filled={value >= step} />
      ))}
    </div>
  );
}

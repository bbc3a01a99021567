import styles from './wordmark.module.css';

/** The product's name beside its two notes, the high and the low one. */
export function Wordmark() {
  return (
    <span className={styles.wordmark}>
      <svg viewBox="0 0 40 44" aria-hidden="true">
        <path d="M4.600 4.400C4.500.900 10.600.900 10.600 4.400c1.400 12 4 19.600 11.600 25 3.200 2.500.8 6.300-2.700 5.100C9.200 30.700 5.200 20.600 4.600 4.400z" />
        <path d="M22.400 13.400c-.1-3.500 6-3.500 6 0 1.200 9.800 3.400 16.200 10 20.800 3.200 2.500.8 6.300-2.700 5.100-8.900-3.200-12.800-12-13.300-25.900z" />
      </svg>
      Chiffchaff
    </span>
  );
}

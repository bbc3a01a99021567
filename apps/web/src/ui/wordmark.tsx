import { Notes } from './notes.tsx';
import styles from './wordmark.module.css';

/** The product's name beside its two notes, the high and the low one. */
export function Wordmark() {
  return (
    <span className={styles.wordmark}>
      <Notes />
      Chiffchaff
    </span>
  );
}

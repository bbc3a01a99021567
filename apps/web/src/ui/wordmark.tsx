import styles from './wordmark.module.css';

/** Its paths, in a box of 40 × 44. */
export const NOTES = [
  'M4.6 4.4C4.5.9 10.6.9 10.6 4.4c1.4 12 4 19.6 11.6 25 3.2 2.5.8 6.3-2.7 5.1C9.2 30.7 5.2 20.6 4.6 4.4z',
  'M22.4 13.4c-.1-3.5 6-3.5 6 0 1.2 9.8 3.4 16.2 10 20.8 3.2 2.5.8 6.3-2.7 5.1-8.9-3.2-12.8-12-13.3-25.9z',
];

/** The logo: a chiffchaff's two notes, high and low, as a spectrogram shows them. Decorative. */
export function Notes({ className }: { readonly className?: string | undefined }) {
  return (
    <svg viewBox="0 0 40 44" aria-hidden="true" className={className}>
      {NOTES.map((note) => (
        <path key={note} d={note} />
      ))}
    </svg>
  );
}

/** The product's name beside the logo. */
export function Wordmark() {
  return (
    <span className={`strong ${styles.wordmark}`}>
      <Notes />
      Chiffchaff
    </span>
  );
}

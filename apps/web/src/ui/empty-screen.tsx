import type { ReactNode } from 'react';
import styles from './empty-screen.module.css';
import { Notes } from './wordmark.tsx';

interface Properties {
  readonly title: string;
  readonly text: string;
  readonly announce?: boolean;
  /** the next step: a button or a link in its look */
  readonly children: ReactNode;
}

/**
 * A screen with nothing on it: a bare branch with the two notes of a bird that is not there, one sentence and one next step. The drawing
 * is part of the page, so that it appears when nothing else can be loaded.
 */
export function EmptyScreen({ title, text, announce = false, children }: Properties) {
  return (
    <div className={styles.empty} role={announce ? 'alert' : undefined}>
      <div className={styles.drawing} aria-hidden="true">
        <Notes className={styles.notes} />
        <svg viewBox="0 0 200 70" className={styles.branch} aria-hidden="true">
          <path d="M2 62C50 60 96 50 198 24M58 57C66 44 72 36 86 30M112 47C124 52 138 54 152 52M150 37C156 28 160 20 170 12" />
        </svg>
      </div>
      <h1>{title}</h1>
      <p>{text}</p>
      {children}
    </div>
  );
}

import { type ReactNode, useId } from 'react';
import styles from '../account.module.css';

interface Properties {
  readonly title: string;
  readonly tone?: 'warning';
  /** in the address, for links to it */
  readonly anchor?: string;
  readonly children: ReactNode;
}

export function Section({ title, tone, anchor, children }: Properties) {
  const id = useId();
  return (
    <section
      id={anchor}
      tabIndex={anchor === undefined ? undefined : -1}
      className={`stack card ${styles.section}`}
      aria-labelledby={id}
      data-tone={tone}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

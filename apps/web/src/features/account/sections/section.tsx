import { type ReactNode, useId } from 'react';
import styles from '../account.module.css';

interface Properties {
  readonly title: string;
  readonly tone?: 'warning';
  readonly children: ReactNode;
}

export function Section({ title, tone, children }: Properties) {
  const id = useId();
  return (
    <section className={`stack card ${styles.section}`} aria-labelledby={id} data-tone={tone}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import styles from './notice.module.css';

interface Properties {
  readonly tone: 'information' | 'warning';
  readonly title: string;
  /** Read out as soon as it appears. */
  readonly announce?: boolean;
  readonly children?: ReactNode;
}

/** A card that says something went wrong, or should be known, and what to do about it. */
export function Notice({ tone, title, announce = false, children }: Properties) {
  const Icon = tone === 'warning' ? IconAlertTriangle : IconInfoCircle;
  return (
    <div className={styles.notice} data-tone={tone} role={announce ? 'alert' : undefined}>
      <Icon className={styles.icon} aria-hidden="true" />
      <div className={styles.body}>
        <p className={styles.title}>{title}</p>
        {children}
      </div>
    </div>
  );
}

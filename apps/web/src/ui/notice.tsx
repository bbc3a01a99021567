import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import styles from './notice.module.css';

interface Properties {
  readonly tone: 'information' | 'warning';
  readonly title: string;
  /** Read out as soon as it appears. */
  readonly announce?: boolean;
  /** It stands where a screen would: its title is the screen's heading. */
  readonly isScreen?: boolean;
  readonly children?: ReactNode;
}

/** A card that says something went wrong, or should be known, and what to do about it. */
export function Notice({ tone, title, announce = false, isScreen = false, children }: Properties) {
  const Icon = tone === 'warning' ? IconAlertTriangle : IconInfoCircle;
  const Title = isScreen ? 'h1' : 'p';
  return (
    <div className={styles.notice} data-tone={tone} role={announce ? 'alert' : undefined}>
      <Icon className={styles.icon} aria-hidden="true" />
      <div className={styles.body}>
        <Title className={styles.title}>{title}</Title>
        {children}
      </div>
    </div>
  );
}

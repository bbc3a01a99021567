import type { ComponentProps } from 'react';
import { Section as PlainSection } from '../../../ui/section.tsx';
import styles from '../account.module.css';

interface Properties extends ComponentProps<typeof PlainSection> {
  readonly tone?: 'warning';
  /** in the address, for links to it */
  readonly anchor?: string;
}

/** A card of the account screen. */
export const Section = ({ tone, anchor, ...section }: Properties) => (
  <PlainSection
    {...section}
    id={anchor}
    tabIndex={anchor === undefined ? undefined : -1}
    className={`stack card ${styles.section}`}
    data-tone={tone}
  />
);

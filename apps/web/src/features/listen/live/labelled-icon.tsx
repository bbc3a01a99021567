import type { ComponentProps } from 'react';
import type { ButtonIcon } from '../../../ui/button.tsx';
import styles from '../listen.module.css';

interface Properties extends Omit<ComponentProps<'button'>, 'children'> {
  readonly icon: ButtonIcon;
  /** Its name, which contains the word. */
  readonly label: string;
  readonly word: string;
}

/** A button within reach of the thumb: a picture above a word. */
export function LabelledIcon({ icon: Icon, label, word, className = '', ...button }: Properties) {
  return (
    <button {...button} type="button" className={`${styles.labelled} ${className}`} aria-label={label}>
      <Icon aria-hidden="true" />
      <span className="small">{word}</span>
    </button>
  );
}

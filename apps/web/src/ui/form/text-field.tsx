import { type HTMLInputAutoCompleteAttribute, type ReactNode, useId } from 'react';
import styles from './form.module.css';
import type { FormField } from './use-form.ts';

export interface TextFieldProperties extends FormField {
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password';
  readonly autoComplete: HTMLInputAutoCompleteAttribute;
  readonly required?: boolean;
  readonly help?: string;
  /** Beside the input, inside its frame. */
  readonly aside?: ReactNode;
}

/** A labelled input; what is wrong with it stands below it and is read out. */
export function TextField({ label, type = 'text', autoComplete, required = false, help, aside, ...field }: TextFieldProperties) {
  const { name, value, fault, onChange } = field;
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <div className={styles.frame}>
        <input
          id={id}
          name={name}
          type={type}
          autoComplete={autoComplete}
          autoCapitalize="none"
          spellCheck={false}
          className={styles.text}
          value={value}
          required={required}
          aria-invalid={fault !== null}
          aria-describedby={`${id}-fault${help === undefined ? '' : ` ${id}-help`}`}
          onChange={({ target }) => onChange(target.value)}
        />
        {aside}
      </div>
      {help !== undefined && (
        <p id={`${id}-help`} className={styles.help}>
          {help}
        </p>
      )}
      {/* There from the start: screen readers announce what changes in it. */}
      <p id={`${id}-fault`} className={styles.fault} aria-live="polite">
        {fault}
      </p>
    </div>
  );
}

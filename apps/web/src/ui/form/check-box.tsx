import { type ReactNode, useId } from 'react';
import styles from './form.module.css';

interface Properties {
  readonly name: string;
  readonly checked: boolean;
  /** Cannot be changed here; `help` says why. */
  readonly isFixed?: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly children: ReactNode;
  readonly help?: string;
  readonly fault?: string | null;
}

export function CheckBox({ name, checked, isFixed = false, onChange, children, help, fault = null }: Properties) {
  const id = useId();
  return (
    <div className="field">
      <div className={styles.box}>
        <input
          id={id}
          name={name}
          type="checkbox"
          checked={checked}
          disabled={isFixed}
          aria-invalid={fault !== null}
          aria-describedby={`${id}-fault${help === undefined ? '' : ` ${id}-help`}`}
          onChange={({ target }) => onChange(target.checked)}
        />
        <label htmlFor={id}>{children}</label>
      </div>
      {help !== undefined && (
        <p id={`${id}-help`} className="soft small">
          {help}
        </p>
      )}
      <p id={`${id}-fault`} className="fault unless-empty" aria-live="polite">
        {fault}
      </p>
    </div>
  );
}

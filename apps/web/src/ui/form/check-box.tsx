import type { ReactNode } from 'react';
import styles from './form.module.css';
import { useNotes } from './use-notes.tsx';

interface Properties {
  readonly name: string;
  /** For links that lead to it. */
  readonly id?: string;
  readonly checked: boolean;
  /** Cannot be changed here; `help` says why. */
  readonly isFixed?: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly children: ReactNode;
  readonly help?: string;
  readonly fault?: string | null;
}

export function CheckBox({ name, id, checked, isFixed = false, onChange, children, help, fault = null }: Properties) {
  const { input, notes } = useNotes(help, fault, id);
  return (
    <div className="field">
      <div className={styles.box}>
        <input
          {...input}
          name={name}
          type="checkbox"
          checked={checked}
          disabled={isFixed}
          onChange={({ target }) => onChange(target.checked)}
        />
        <label htmlFor={input.id}>{children}</label>
      </div>
      {notes}
    </div>
  );
}

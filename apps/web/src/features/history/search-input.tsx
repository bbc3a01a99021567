import { type ComponentProps, useId } from 'react';
import formStyles from '../../ui/form/form.module.css';

interface Properties extends Omit<ComponentProps<'input'>, 'onChange'> {
  readonly label: string;
  readonly onChange: (text: string) => void;
}

/** A search field for names, with its label above. */
export function SearchInput({ label, onChange, ...input }: Properties) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        type="search"
        className={formStyles.text}
        maxLength={100}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
    </>
  );
}

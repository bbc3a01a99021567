import { type ComponentProps, useEffect, useId, useState } from 'react';

/** A pause of this length ends the typing. */
const PAUSE_MS = 250;

interface Properties {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly className: string | undefined;
  readonly onSearch: (text: string) => void;
}

/** A search for names whose text is kept elsewhere, as in the address: it is told once the typing has paused. */
export function SearchField({ value, className, onSearch, ...input }: Properties) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  // Changed from outside: by the browser's back button, or by clearing the search.
  if (known !== value) {
    setKnown(value);
    if (value !== typed.trim()) setTyped(value);
  }
  useEffect(() => {
    if (typed.trim() === value) return undefined;
    const timer = setTimeout(() => onSearch(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onSearch]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers that are still in use do not know <search>
    <div className={`stack-tight ${className}`} role="search">
      <SearchInput
        {...input}
        value={typed}
        onChange={setTyped}
        // Typing is over: the search goes into the address, where going back finds it.
        onBlur={() => typed.trim() !== value && onSearch(typed.trim())}
      />
    </div>
  );
}

interface SearchInputProperties extends Omit<ComponentProps<'input'>, 'onChange'> {
  readonly label: string;
  readonly onChange: (text: string) => void;
}

/** A search field for names, with its label above. */
export function SearchInput({ label, onChange, ...input }: SearchInputProperties) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        type="search"
        maxLength={100}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
    </>
  );
}

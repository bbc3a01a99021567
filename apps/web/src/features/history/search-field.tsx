import { useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import formStyles from '../../ui/form/form.module.css';
import styles from './history.module.css';

/** Without a pause of this length, somebody is still typing. */
const pauseMs = 250;

interface Properties {
  readonly value: string;
  readonly onSearch: (text: string) => void;
}

/** Searches as one types. */
export function SearchField({ value, onSearch }: Properties) {
  const { t } = useTranslation();
  const id = useId();
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  // Changed from elsewhere: by the browser's way back, or by removing what is searched for.
  if (known !== value) {
    setKnown(value);
    if (value !== typed.trim()) setTyped(value);
  }
  useEffect(() => {
    if (typed.trim() === value) return undefined;
    const timer = setTimeout(() => onSearch(typed.trim()), pauseMs);
    return () => clearTimeout(timer);
  }, [typed, value, onSearch]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers that are still in use do not know <search>
    <div className={styles.search} role="search">
      <label htmlFor={id}>{t('history.search')}</label>
      <input
        id={id}
        type="search"
        className={formStyles.text}
        value={typed}
        maxLength={100}
        autoComplete="off"
        spellCheck={false}
        placeholder={t('history.searchExample')}
        onChange={({ target }) => setTyped(target.value)}
        // Whoever goes on has typed all of it, and finds it here on the way back.
        onBlur={() => typed.trim() !== value && onSearch(typed.trim())}
      />
    </div>
  );
}

import { type ComponentType, useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './choose.module.css';
import type { PlaceSearchProperties } from './place-search.tsx';

/**
 * The place search, fetched when somebody begins to use the screen: its list of choices is the heaviest thing there, and many
 * never give a place. Until it is there (or if it never comes) a plain field of the same size keeps what is typed; coordinates
 * always work.
 */
export function PlaceField(properties: PlaceSearchProperties) {
  const { t } = useTranslation();
  const id = useId();
  const helpId = useId();
  const [Search, setSearch] = useState<ComponentType<PlaceSearchProperties> | null>(null);
  const [wasFocused, setWasFocused] = useState(false);

  useEffect(() => {
    const controller = new AbortController();
    const fetchSearch = () => {
      controller.abort();
      import('./place-search.tsx').then(
        ({ PlaceSearch }) => {
          setWasFocused(document.activeElement?.id === id);
          setSearch(() => PlaceSearch);
        },
        () => {}, // the plain field stays
      );
    };
    for (const sign of ['pointermove', 'pointerdown', 'keydown'] as const)
      window.addEventListener(sign, fetchSearch, { signal: controller.signal, passive: true });
    return () => controller.abort();
  }, [id]);

  if (Search) return <Search {...properties} takesFocus={wasFocused} />;
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{t('choose.place')}</label>
      <input
        id={id}
        className={styles.text}
        autoComplete="off"
        aria-invalid={properties.fault !== null}
        aria-describedby={helpId}
        value={properties.value}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.preventDefault(); // what is typed here is no place yet
        }}
        onChange={({ target }) => properties.onType(target.value)}
      />
      <p id={helpId} className={properties.fault === null ? styles.help : styles.fault}>
        {properties.fault ?? t('choose.placeHelp')}
      </p>
    </div>
  );
}

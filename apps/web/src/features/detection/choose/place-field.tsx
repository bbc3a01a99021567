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
        value={properties.value}
        onChange={({ target }) => properties.onType(target.value)}
      />
      <p className={styles.help}>{t('choose.placeHelp')}</p>
    </div>
  );
}

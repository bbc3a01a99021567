import type { CorrectionKind } from '@chiffchaff/contract';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { preferences, usePreferences } from '../../platform/storage/preferences.ts';
import styles from './layout.module.css';

const kinds = ['confirmed', 'rejected', 'corrected'] as const;

/** Lets the user change or clear the keys for corrections. */
export function KeyChoices() {
  const { t } = useTranslation();
  const { correctionKeys } = usePreferences();
  const id = useId();
  const choose = (kind: CorrectionKind, typed: string) => {
    const key = typed.trim().slice(-1).toLowerCase() || null;
    // A key that stood for another kind now stands for this one.
    const others = kinds.filter((other) => other !== kind && key !== null && correctionKeys[other] === key);
    const freed = Object.fromEntries(others.map((other) => [other, null]));
    preferences.change({ correctionKeys: { ...correctionKeys, ...freed, [kind]: key } });
  };
  return (
    <details className={styles.keys}>
      <summary className="text-button">{t('preferences.keys')}</summary>
      <p id={`${id}-help`}>{t('preferences.keysHelp')}</p>
      <ul>
        {kinds.map((kind) => (
          <li key={kind} className={styles.choice}>
            <label htmlFor={`${id}-${kind}`}>{t(`correction.${kind}`)}</label>
            <input
              id={`${id}-${kind}`}
              aria-describedby={`${id}-help`}
              autoComplete="off"
              autoCapitalize="characters"
              size={2}
              value={correctionKeys[kind]?.toUpperCase() ?? ''}
              onChange={({ target }) => choose(kind, target.value)}
              onFocus={({ target }) => target.select()}
            />
          </li>
        ))}
      </ul>
    </details>
  );
}

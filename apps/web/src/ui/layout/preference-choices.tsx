import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { interfaceLanguages, speak } from '../../languages/i18n.ts';
import { type KeyedVerdict, type Preferences, preferences, usePreferences } from '../../platform/storage/preferences.ts';
import styles from './layout.module.css';

const themes: readonly Preferences['theme'][] = ['system', 'light', 'dark'];

export function PreferenceChoices() {
  const { t, i18n } = useTranslation();
  const { theme } = usePreferences();
  const themeId = useId();
  const languageId = useId();
  return (
    <div className="stack-tight">
      <span className={styles.choice}>
        <label htmlFor={themeId}>{t('preferences.theme')}</label>
        <select
          id={themeId}
          value={theme}
          onChange={({ target }) => preferences.change({ theme: themes.find((known) => known === target.value) ?? 'system' })}
        >
          {themes.map((known) => (
            <option key={known} value={known}>
              {t(`preferences.${known}`)}
            </option>
          ))}
        </select>
      </span>
      <span className={styles.choice}>
        <label htmlFor={languageId}>{t('preferences.language')}</label>
        <select
          id={languageId}
          value={i18n.resolvedLanguage ?? 'en'}
          onChange={({ target }) => {
            preferences.change({ language: target.value });
            void speak(target.value);
          }}
        >
          {interfaceLanguages.map(({ code, name }) => (
            <option key={code} value={code} lang={code}>
              {name}
            </option>
          ))}
        </select>
      </span>
      <KeyChoices />
    </div>
  );
}

const verdicts = ['confirmed', 'rejected', 'corrected'] as const;

/** Lets the user change or clear the keys for reviews. */
function KeyChoices() {
  const { t } = useTranslation();
  const { reviewKeys } = usePreferences();
  const id = useId();
  const choose = (verdict: KeyedVerdict, typed: string) => {
    const key = typed.trim().slice(-1).toLowerCase() || null;
    // A key that stood for another verdict now stands for this one.
    const others = verdicts.filter((other) => other !== verdict && key !== null && reviewKeys[other] === key);
    const freed = Object.fromEntries(others.map((other) => [other, null]));
    preferences.change({ reviewKeys: { ...reviewKeys, ...freed, [verdict]: key } });
  };
  return (
    <details className={`small ${styles.keys}`}>
      <summary className="link">{t('preferences.keys')}</summary>
      <p id={`${id}-help`}>{t('preferences.keysHelp')}</p>
      <ul>
        {verdicts.map((verdict) => (
          <li key={verdict} className={styles.choice}>
            <label htmlFor={`${id}-${verdict}`}>{t(`birdReview.${verdict}`)}</label>
            <input
              id={`${id}-${verdict}`}
              aria-describedby={`${id}-help`}
              autoComplete="off"
              autoCapitalize="characters"
              size={2}
              value={reviewKeys[verdict]?.toUpperCase() ?? ''}
              onChange={({ target }) => choose(verdict, target.value)}
              onFocus={({ target }) => target.select()}
            />
          </li>
        ))}
      </ul>
    </details>
  );
}

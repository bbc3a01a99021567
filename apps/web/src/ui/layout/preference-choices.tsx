import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { interfaceLanguages, speak } from '../../languages/i18n.ts';
import { type Preferences, preferences, usePreferences } from '../../platform/storage/preferences.ts';
import styles from './layout.module.css';

const themes: readonly Preferences['theme'][] = ['system', 'light', 'dark'];

export function PreferenceChoices({ onKeys }: { readonly onKeys: () => void }) {
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
      {/* Touch screens have no keys. */}
      <button type="button" className={`link ${styles.keys}`} onClick={onKeys}>
        {t('preferences.keys')}
      </button>
    </div>
  );
}

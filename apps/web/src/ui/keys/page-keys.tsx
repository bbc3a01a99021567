import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { type KeyedVerdict, preferences, usePreferences } from '../../platform/storage/preferences.ts';
import { KeysDialog } from './keys-dialog.tsx';

const verdicts = ['confirmed', 'rejected', 'corrected'] as const;

/** Lets the user change or clear the keys for reviews. */
function ReviewKeyChoices() {
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
    <>
      <p id={id}>{t('preferences.keysHelp')}</p>
      {verdicts.map((verdict) => (
        <label key={verdict} className="apart finger">
          {t(`birdReview.${verdict}`)}
          <input
            aria-describedby={id}
            autoComplete="off"
            autoCapitalize="characters"
            size={2}
            value={reviewKeys[verdict]?.toUpperCase() ?? ''}
            onChange={({ target }) => choose(verdict, target.value)}
            onFocus={({ target }) => target.select()}
          />
        </label>
      ))}
    </>
  );
}

/** The list of keys of the page. */
export const PageKeys = () => (
  <KeysDialog>
    <ReviewKeyChoices />
  </KeysDialog>
);

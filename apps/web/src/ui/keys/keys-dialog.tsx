import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { type KeyedVerdict, preferences, usePreferences } from '../../platform/storage/preferences.ts';
import { Modal } from '../modal.tsx';
import { keysShown } from './keys-shown.ts';

/** The list of keys. @param children keys that can be changed */
export function KeysDialog({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation();
  const { questionMark } = usePreferences();
  return (
    <Modal title={t('keys.title')} onClose={() => keysShown.set(false)}>
      <p>{t('timeline.keys')}</p>
      {children}
      <label className="apart finger">
        {t('keys.questionMark')}
        <input
          type="checkbox"
          checked={questionMark}
          onChange={({ target }) => preferences.change({ questionMark: target.checked })}
        />
      </label>
    </Modal>
  );
}

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

import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { preferences, usePreferences } from '../../platform/storage/preferences.ts';
import { Button } from '../button.tsx';
import dialogStyles from '../dialog.module.css';
import { keysShown } from './keys-shown.ts';

/** The list of keys. @param children keys that can be changed */
export function KeysDialog({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation();
  const { questionMark } = usePreferences();
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className={`card ${dialogStyles.dialog}`} aria-labelledby={titleId} onClose={() => keysShown.set(false)}>
      <div className="stack">
        <h2 id={titleId}>{t('keys.title')}</h2>
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
        <Button onClick={() => dialog.current?.close()}>{t('layout.close')}</Button>
      </div>
    </dialog>
  );
}

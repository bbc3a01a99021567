import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { preferences, usePreferences } from '../../platform/storage/preferences.ts';
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

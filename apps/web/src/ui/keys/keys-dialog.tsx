import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { preferences, usePreferences } from '../../platform/storage/preferences.ts';
import { Button } from '../button.tsx';
import { Modal } from '../modal.tsx';
import { keysShown } from './keys-shown.ts';

/** The list of keys. @param children keys that can be changed */
export function KeysDialog({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation();
  const { questionMark } = usePreferences();
  const close = () => keysShown.set(false);
  return (
    <Modal title={t('keys.title')} onClose={close}>
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
      <Button onClick={close}>{t('layout.close')}</Button>
    </Modal>
  );
}

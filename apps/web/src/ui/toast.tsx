import { IconX } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from './button.tsx';
import styles from './toast.module.css';

/** Id of the place for toasts: a screen can put one of its own there, too. */
export const TOASTS_ID = 'toasts';

/** A line at the bottom edge of the window, which can be closed; `PageNotices` places it. */
export function Toast({ onClose, children, ...div }: ComponentProps<'div'> & { readonly onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <div {...div} className={`line small card ${styles.toast}`}>
      <div className="cluster-tight">{children}</div>
      <IconButton label={t('layout.close')} icon={IconX} onClick={onClose} />
    </div>
  );
}

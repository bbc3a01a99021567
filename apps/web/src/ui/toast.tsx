import { IconX } from '@tabler/icons-react';
import { type ComponentProps, useEffect, useState } from 'react';
import { useTranslation } from '../languages/i18n.ts';
import { IconButton } from './button.tsx';
import styles from './toast.module.css';

/** Id of the place for toasts: a screen can put one of its own there, too. */
export const TOASTS_ID = 'toasts';

/** How long a purely informative toast stays. */
export const STAY_MS = 4000;

interface Properties extends ComponentProps<'div'> {
  readonly onClose: () => void;
  /** It closes by itself after so long without the pointer on it or the focus in it; null while it has to stay. */
  readonly stayMs?: number | null;
}

/** A line at the bottom edge of the window, which can be closed; `PageNotices` places it. */
export function Toast({ onClose, stayMs = null, children, ...div }: Properties) {
  const { t } = useTranslation();
  const [isPointedAt, setPointedAt] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: how to take it away is always the same
  useEffect(() => {
    if (stayMs === null || isPointedAt || hasFocus) return undefined;
    const timer = setTimeout(onClose, stayMs);
    return () => clearTimeout(timer);
  }, [stayMs, isPointedAt, hasFocus]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointer and focus only hold it
    <div
      {...div}
      className={`line small card ${styles.toast}`}
      onPointerEnter={() => setPointedAt(true)}
      onPointerLeave={() => setPointedAt(false)}
      // A text has the focus only because code put it there, so that does not hold the toast.
      onFocus={({ target }) => setFocus(target.tabIndex >= 0)}
      onBlur={() => setFocus(false)}
    >
      <div className="cluster-tight">{children}</div>
      <IconButton label={t('layout.close')} icon={IconX} onClick={onClose} />
    </div>
  );
}

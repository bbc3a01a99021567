import { IconX } from '@tabler/icons-react';
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from '../languages/i18n.ts';
import { IconButton } from './button.tsx';
import styles from './dialog.module.css';

interface Properties {
  /** Its heading, which is also its name. */
  readonly title: ReactNode;
  readonly className?: string | undefined;
  /** Called on Escape, its button or a press beside it: whoever shows it removes it. */
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog above the page that holds the focus. Once it is gone, what opened it has the focus again; if that is gone too, the screen. */
export function Modal({ title, className = '', onClose, children }: Properties) {
  const { t } = useTranslation();
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    shown?.querySelector<HTMLElement>('form input:not([hidden])')?.focus(); // not the button
    return () => {
      shown?.close();
      const focused = document.activeElement;
      if (focused === document.body || shown?.contains(focused)) document.getElementById('main')?.focus({ preventScroll: true });
    };
  }, []);
  // A portal, so that it does not depend on what it was opened from.
  return createPortal(
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a modal dialog by itself
    <dialog
      ref={dialog}
      className={`card ${styles.dialog} ${className}`}
      aria-labelledby={titleId}
      onClose={({ currentTarget }) => currentTarget.open || onClose()}
      // A press on the backdrop targets the dialog itself, of which its content leaves nothing free.
      onClick={({ target, currentTarget }) => target === currentTarget && onClose()}
    >
      <div className="stack">
        <div className="apart">
          <h2 id={titleId}>{title}</h2>
          <IconButton label={t('layout.close')} icon={IconX} onClick={onClose} />
        </div>
        {children}
      </div>
    </dialog>,
    document.body,
  );
}

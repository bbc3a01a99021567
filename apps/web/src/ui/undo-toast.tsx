import { IconArrowBackUp } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from '../languages/i18n.ts';
import { Button } from './button.tsx';
import { TOASTS_ID, Toast } from './toast.tsx';

/** As long as a deletion can be undone. */
const UNDO_MS = 60_000;

interface Properties {
  /** What was done. */
  readonly text: string;
  /** It is still being done, and stays in sight. */
  readonly isBusy?: boolean;
  /** null if nothing can be undone */
  readonly onUndo: (() => void) | null;
  /** Whoever shows it removes it. @param hadFocus which then has to go elsewhere */
  readonly onClose: (hadFocus: boolean) => void;
  readonly children?: ReactNode;
}

/** Says what was done, and takes it back for a minute. Takes the focus of what was pressed, which has disappeared. */
export function UndoToast({ text, isBusy = false, onUndo, onClose, children }: Properties) {
  const { t } = useTranslation();
  const toast = useRef<HTMLDivElement>(null);
  const said = useRef<HTMLParagraphElement>(null);
  const close = () => onClose(toast.current?.contains(document.activeElement) ?? false);
  useEffect(() => said.current?.focus({ preventScroll: true }), []);
  return createPortal(
    <Toast ref={toast} onClose={close} stayMs={isBusy ? null : UNDO_MS}>
      <p ref={said} tabIndex={-1} role="status">
        {text}
      </p>
      {onUndo && !isBusy && (
        <Button icon={IconArrowBackUp} onClick={onUndo}>
          {t('birdReview.undo')}
        </Button>
      )}
      {children}
    </Toast>,
    document.getElementById(TOASTS_ID) ?? document.body,
  );
}

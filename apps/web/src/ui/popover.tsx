import { type ReactNode, useId } from 'react';
import { useTranslation } from '../languages/i18n.ts';
import { Button, type ButtonIcon } from './button.tsx';
import styles from './popover.module.css';

interface Properties {
  /** On the button, and the name of what it opens. */
  readonly label: string;
  readonly icon?: ButtonIcon;
  readonly children: ReactNode;
}

/** A button that opens more above the page; Escape, a click elsewhere, or its own button closes it. */
export function Popover({ label, icon, children }: Properties) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <>
      <Button icon={icon} popoverTarget={id}>
        {label}
      </Button>
      <div id={id} popover="auto" role="dialog" aria-label={label} className={`card ${styles.popover}`}>
        {children}
        <Button popoverTarget={id} popoverTargetAction="hide">
          {t('layout.close')}
        </Button>
      </div>
    </>
  );
}

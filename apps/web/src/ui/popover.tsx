import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './button.tsx';
import styles from './popover.module.css';

interface Properties {
  /** On the button, and the name of what it opens. */
  readonly label: string;
  readonly icon?: ReactNode;
  /** Of a button that shows only its icon. */
  readonly iconClass?: string | undefined;
  readonly children: ReactNode;
}

/** A button that opens more above the page; Escape, a click elsewhere, or its own button closes it. */
export function Popover({ label, icon, iconClass, children }: Properties) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <>
      {iconClass === undefined ? (
        <Button popoverTarget={id}>
          {icon}
          {label}
        </Button>
      ) : (
        <button type="button" popoverTarget={id} className={iconClass} aria-label={label} title={label}>
          {icon}
        </button>
      )}
      <div id={id} popover="auto" role="dialog" aria-label={label} className={`card ${styles.popover}`}>
        {children}
        <Button popoverTarget={id} popoverTargetAction="hide">
          {t('layout.close')}
        </Button>
      </div>
    </>
  );
}

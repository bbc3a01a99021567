import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './popover.module.css';

interface Properties {
  /** On the button, and the name of what it opens. */
  readonly label: string;
  readonly icon?: ReactNode;
  readonly className: string;
  readonly children: ReactNode;
}

/** A button that opens more above the page; Escape, a click elsewhere, or its own button closes it. */
export function Popover({ label, icon, className, children }: Properties) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <>
      <button type="button" className={className} popoverTarget={id}>
        {icon}
        {label}
      </button>
      <div id={id} popover="auto" role="dialog" aria-label={label} className={styles.popover}>
        {children}
        <button type="button" className="button button-secondary" popoverTarget={id} popoverTargetAction="hide">
          {t('layout.close')}
        </button>
      </div>
    </>
  );
}

import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from '../languages/i18n.ts';
import { Button } from './button.tsx';
import styles from './notice.module.css';

interface Properties {
  readonly tone: 'information' | 'warning';
  readonly title: string;
  readonly announce?: boolean;
  /** Replaces a screen, so its title is the screen's heading. */
  readonly isScreen?: boolean;
  /** Offers to try again. */
  readonly onRetry?: (() => void) | undefined;
  readonly children?: ReactNode;
}

/** A card that says what went wrong or is worth knowing, and what to do about it. */
export function Notice({ tone, title, announce = false, isScreen = false, onRetry, children }: Properties) {
  const { t } = useTranslation();
  const Icon = tone === 'warning' ? IconAlertTriangle : IconInfoCircle;
  const Title = isScreen ? 'h1' : 'p';
  return (
    <div className={`wash ${styles.notice}`} data-tone={tone} role={announce ? 'alert' : undefined}>
      <Icon className={styles.icon} aria-hidden="true" />
      <div className="stack-tight start">
        <Title className={`strong ${styles.title}`}>{title}</Title>
        {children}
        {onRetry && (
          <Button look="main" onClick={onRetry}>
            {t('action.tryAgain')}
          </Button>
        )}
      </div>
    </div>
  );
}

interface FailureProperties {
  /** null shows nothing */
  readonly sentence: string | null;
  readonly onRetry?: (() => void) | undefined;
}

/** Says why a call failed, in a notice. */
export const Failure = ({ sentence, onRetry }: FailureProperties) =>
  sentence !== null && <Notice tone="warning" title={sentence} announce onRetry={onRetry} />;

interface LineProperties extends Pick<FailureProperties, 'sentence'> {
  /** What was not done, said first. */
  readonly undone?: string;
  readonly className?: string | undefined;
}

/** Says why a call failed, in a line. */
export const FailureLine = ({ sentence, undone, className }: LineProperties) =>
  sentence !== null && (
    <p role="alert" className={className}>
      {undone === undefined ? sentence : `${undone} ${sentence}`}
    </p>
  );

import { useTranslation } from '../../languages/i18n.ts';
import type { ApiError } from '../../platform/api/api-error.ts';
import { useErrorSentence } from '../../platform/api/error-sentence.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { StageHeading } from '../../ui/stage-heading.tsx';
import styles from './detection.module.css';

/** Whether the same request may succeed if sent again. */
export function isRetryable(error: ApiError): boolean {
  switch (error.kind) {
    case 'problem':
      return error.problem.retryable;
    case 'device':
      return error.why === 'failed';
    default:
      return error.kind !== 'unexpected';
  }
}

interface Properties {
  /** Of the recording; absent if it is not known any more. */
  readonly fileName?: string;
  readonly error: ApiError;
  readonly onRetry: () => void;
  /** Lets the server analyse what this device could not. */
  readonly onServer?: (() => void) | null;
  readonly onChange: () => void;
}

export function FailureStage({ fileName, error, onRetry, onServer = null, onChange }: Properties) {
  const { t } = useTranslation();
  const sentence = useErrorSentence(error);
  const canRetry = isRetryable(error);
  // The one thing left to do, where nothing else is offered.
  const isOnly = !canRetry && !onServer;
  return (
    <section className={styles.failure}>
      <StageHeading>{t('failure.title')}</StageHeading>
      {fileName !== undefined && (
        <p className="soft">
          <bdi className="file-name">{fileName}</bdi>
        </p>
      )}
      <Notice tone="warning" title={sentence} announce>
        {error.kind === 'problem' && error.retryAfterSeconds !== null && error.retryAfterSeconds > 0 && (
          <p>{t('failure.retryAfter', { count: error.retryAfterSeconds })}</p>
        )}
      </Notice>
      <div className="cluster">
        {canRetry && (
          <Button look="main" onClick={onRetry}>
            {t('action.tryAgain')}
          </Button>
        )}
        {onServer && (
          <Button look="main" onClick={onServer}>
            {t('local.onServerInstead')}
          </Button>
        )}
        <Button look={isOnly ? 'main' : 'secondary'} onClick={onChange}>
          {t('failure.changeRecording')}
        </Button>
      </div>
    </section>
  );
}

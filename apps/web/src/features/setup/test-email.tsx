import { isEmailAddress, type SetupAnswer } from '@chiffchaff/contract';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { toApiError } from '../../platform/api/api-error.ts';
import { errorSentence } from '../../platform/api/error-sentence.ts';
import { Button } from '../../ui/button.tsx';
import styles from './setup.module.css';
import type { SetupCalls } from './setup-calls.ts';

interface Properties {
  readonly calls: SetupCalls;
  readonly mail: SetupAnswer['mail'];
  readonly contactEmail: string;
}

/** Sends a test email to the contact address and shows the result. */
export function TestEmail({ calls, mail, contactEmail }: Properties) {
  const { t, i18n } = useTranslation();
  const email = contactEmail.trim();
  const { data, error, isPending, mutate } = useMutation({ mutationFn: () => calls.testEmail(email, i18n.language) });
  if (mail !== 'configured') return <p className={styles.help}>{t(`setup.mail.${mail}`)}</p>;
  const canSend = isEmailAddress(email) && !isPending;
  const failure = error && toApiError(error);
  const isTooSoon = failure?.kind === 'problem' && failure.problem.code === 'TOO_MANY_REQUESTS';
  const sentence = data
    ? t(`setup.outcome.${data}`, { email })
    : failure && (isTooSoon ? t('setup.tooSoon') : errorSentence(failure, t, i18n.language));
  return (
    <div>
      <Button isDisabled={!canSend} onClick={() => canSend && mutate()}>
        {t('setup.sendTest')}
      </Button>
      <p role="status" className={styles.help}>
        {isPending ? t('form.working') : (sentence ?? (canSend ? '' : t('setup.testNeeds')))}
      </p>
    </div>
  );
}

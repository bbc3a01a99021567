import { useTranslation } from 'react-i18next';
import { toApiError } from '../../../platform/api/api-error.ts';
import { errorSentence } from '../../../platform/api/error-sentence.ts';
import { useKeepAudioSetting } from '../../../platform/api/use-keep-audio-setting.ts';
import { KeepAudioChoice } from '../../../ui/keep-audio/keep-audio-choice.tsx';
import { Notice } from '../../../ui/notice.tsx';
import styles from '../account.module.css';
import { Section } from './section.tsx';

/** What is kept of the sound of recordings from now on. */
export function KeepAudioSection({ retentionDays }: { readonly retentionDays: number }) {
  const { t, i18n } = useTranslation();
  const { setting, change } = useKeepAudioSetting();
  const failure = setting.error ?? change.error;
  return (
    <Section title={t('account.keepAudio')}>
      <p>{t('account.keepAudioHelp')}</p>
      {failure && (
        <Notice tone="warning" title={errorSentence(toApiError(failure), t, i18n.language)} announce>
          {setting.error && (
            <button type="button" className="button" onClick={() => void setting.refetch()}>
              {t('action.tryAgain')}
            </button>
          )}
        </Notice>
      )}
      <KeepAudioChoice
        value={change.isPending ? change.variables : (setting.data ?? null)}
        retentionDays={retentionDays}
        onChange={(choice) => change.mutate(choice)}
      />
      <span role="status" className={styles.soft}>
        {change.isSuccess ? t('account.keepAudioSaved') : ''}
      </span>
    </Section>
  );
}

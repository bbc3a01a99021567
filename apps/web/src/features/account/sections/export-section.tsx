import { accountExportSchema } from '@chiffchaff/contract';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { toApiError } from '../../../platform/api/api-error.ts';
import { errorSentence } from '../../../platform/api/error-sentence.ts';
import { useOpenHttp } from '../../../platform/api/open-http.ts';
import { saveFile } from '../../../platform/browser/save-file.ts';
import { Notice } from '../../../ui/notice.tsx';
import styles from '../account.module.css';
import { Section } from './section.tsx';

/** Everything that is kept, as one file. */
export function ExportSection() {
  const { t, i18n } = useTranslation();
  const openHttp = useOpenHttp();
  const save = useMutation({
    mutationFn: async () => accountExportSchema.parse((await (await openHttp()).get<unknown>('/v1/account/export')).data),
    onSuccess: (everything) => saveFile('chiffchaff-account.json', JSON.stringify(everything, null, 2)),
  });
  return (
    <Section title={t('account.export')}>
      <p>{t('account.exportHelp')}</p>
      {save.error && <Notice tone="warning" title={errorSentence(toApiError(save.error), t, i18n.language)} announce />}
      <div className={styles.actions}>
        <button type="button" className="button button-quiet" aria-disabled={save.isPending} onClick={() => save.mutate()}>
          {t('account.exportButton')}
        </button>
        <span role="status" className={styles.soft}>
          {save.isSuccess ? t('account.exported') : ''}
        </span>
      </div>
    </Section>
  );
}

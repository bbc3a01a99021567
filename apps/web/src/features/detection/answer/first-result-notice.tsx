import type { Prediction } from '@chiffchaff/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { toApiError } from '../../../platform/api/api-error.ts';
import { errorSentence } from '../../../platform/api/error-sentence.ts';
import { useOpenHttp } from '../../../platform/api/open-http.ts';
import { restoreConditions } from '../../../platform/api/stored-predictions.ts';
import { refreshStoredPredictions } from '../../../platform/api/use-stored-predictions.ts';
import { Notice } from '../../../ui/notice.tsx';

interface Properties {
  readonly predictionId: string;
  readonly onFirst: (first: Prediction) => void;
}

/** Says that the place, date or threshold was changed after the first result, and leads back to that. */
export function FirstResultNotice({ predictionId, onFirst }: Properties) {
  const { t, i18n } = useTranslation();
  const openHttp = useOpenHttp();
  const queries = useQueryClient();
  const back = useMutation({
    mutationFn: async () => restoreConditions(await openHttp(), predictionId),
    onSuccess(first) {
      onFirst(first);
      void refreshStoredPredictions(queries);
    },
  });
  return (
    <Notice tone="information" title={t('otherConditions.title')}>
      <p>{t('otherConditions.text')}</p>
      {back.error && <p role="alert">{errorSentence(toApiError(back.error), t, i18n.language)}</p>}
      <button
        type="button"
        className="button button-secondary"
        aria-disabled={back.isPending}
        onClick={() => !back.isPending && back.mutate()}
      >
        {t('otherConditions.back')}
      </button>
    </Notice>
  );
}

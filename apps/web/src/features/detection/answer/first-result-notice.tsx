import type { Prediction } from '@chiffchaff/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { restoreConditions } from '../../../platform/api/stored-predictions.ts';
import { useFailureSentence } from '../../../platform/api/use-failure-sentence.ts';
import { refreshStoredPredictions } from '../../../platform/api/use-stored-predictions.ts';
import { useOpenHttp } from '../../../platform/session/session-context.tsx';
import { Button } from '../../../ui/button.tsx';
import { FailureLine } from '../../../ui/failure.tsx';
import { Notice } from '../../../ui/notice.tsx';

interface Properties {
  readonly predictionId: string;
  readonly onFirst: (first: Prediction) => void;
}

/** Says that the place, date or threshold was changed after the first result, and leads back to that. */
export function FirstResultNotice({ predictionId, onFirst }: Properties) {
  const { t } = useTranslation();
  const failureOf = useFailureSentence();
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
      <FailureLine sentence={failureOf(back.error)} />
      <Button isDisabled={back.isPending} onClick={() => back.mutate()}>
        {t('otherConditions.back')}
      </Button>
    </Notice>
  );
}

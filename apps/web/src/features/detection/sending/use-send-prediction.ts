import { useMemo } from 'react';
import { useOpenHttp } from '../../../platform/api/open-http.ts';
import { useAuthSession } from '../../../platform/session/session-context.tsx';
import { keepAnswer } from '../../../platform/storage/kept-answers.ts';
import type { SendPrediction } from './prediction-request.ts';

export function useSendPrediction(): SendPrediction {
  const session = useAuthSession();
  const openHttp = useOpenHttp();
  return useMemo(
    () => async (request, options) => {
      try {
        const [http, { askPrediction }] = await Promise.all([openHttp(), import('./ask-prediction.ts')]);
        const isKept = session.snapshot().state.token !== null;
        const outcome = await askPrediction(http, request, { ...options, isKept });
        const { localId } = session.snapshot().state;
        if (outcome.kind === 'answered' && isKept && localId !== null)
          keepAnswer(localId, { state: 'done', prediction: outcome.prediction, keptAudio: null });
        return outcome;
      } catch {
        return { kind: 'failed', error: { kind: 'network', message: 'Network Error' } };
      }
    },
    [openHttp, session],
  );
}

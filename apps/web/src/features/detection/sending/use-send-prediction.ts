import { useMemo } from 'react';
import { useAuthSession } from '../../../platform/auth-session/session-context.tsx';
import { keepAnswer } from '../../../platform/kept-answers.ts';
import { useOpenHttp } from '../../../platform/open-http.ts';
import type { SendPrediction } from './prediction-request.ts';

/** Sends a request with what the page has for it, and keeps the answer for the visit. Never rejects. */
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

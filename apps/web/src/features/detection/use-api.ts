import type { AxiosInstance } from 'axios';
import { useMemo } from 'react';
import { useAuthSession } from '../../platform/auth-session/session-context.tsx';
import { useConnection } from '../../platform/connection.ts';
import { keepAnswer } from '../../platform/kept-answers.ts';
import { usePublicConfig } from '../../platform/public-config.ts';
import type { Outcome, SendPrediction } from './sending/prediction-request.ts';

/** The way to the API, which is fetched when it is first needed: this screen is there before. */
export interface Api {
  /** @throws TypeError when the part of the page that talks to the server does not load */
  openHttp(): Promise<AxiosInstance>;
  /** Never rejects. */
  readonly sendPrediction: SendPrediction;
}

const outOfReach: Outcome = { kind: 'failed', error: { kind: 'network', message: 'Network Error' } };

export function useApi(): Api {
  const session = useAuthSession();
  const { check } = useConnection();
  const { data: config } = usePublicConfig();
  const apiOrigin = config?.apiOrigin ?? '';
  return useMemo(() => {
    let opened: Promise<AxiosInstance> | null = null;
    const openHttp = () => {
      opened ??= import('../../platform/http-client.ts').then(
        ({ createHttpClient }) => createHttpClient(apiOrigin, session, check),
        (error: unknown) => {
          opened = null; // the next call tries again
          throw error;
        },
      );
      return opened;
    };
    return {
      openHttp,
      async sendPrediction(request, options) {
        try {
          const [http, { askPrediction }] = await Promise.all([openHttp(), import('./sending/ask-prediction.ts')]);
          const isKept = session.snapshot().state.token !== null;
          const outcome = await askPrediction(http, request, { ...options, isKept });
          const { localId } = session.snapshot().state;
          if (outcome.kind === 'answered' && isKept && localId !== null)
            keepAnswer(localId, { state: 'done', prediction: outcome.prediction, keptAudio: null });
          return outcome;
        } catch {
          return outOfReach;
        }
      },
    };
  }, [apiOrigin, session, check]);
}

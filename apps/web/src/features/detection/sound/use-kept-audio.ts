import type { KeptAudio } from '@chiffchaff/contract';
import { useQuery } from '@tanstack/react-query';
import { useOpenHttp } from '../../../platform/api/open-http.ts';
import { storedPredictionsKey } from '../../../platform/api/use-stored-predictions.ts';
import { useAuthSnapshot } from '../../../platform/session/session-context.tsx';
import { waitAfter } from './served-recording.ts';

const slowestMs = 10_000;

/**
 * What the server keeps of a prediction's sound, asked again until it answers.
 *
 * @param id null when it keeps nothing
 * @param known what it has said already
 * @returns undefined while nobody knows
 */
export function useKeptAudio(id: string | null, known: KeptAudio | null | undefined): KeptAudio | null | undefined {
  const openHttp = useOpenHttp();
  const { localId } = useAuthSnapshot().state;
  const { data } = useQuery({
    queryKey: storedPredictionsKey(localId, 'sound', id),
    enabled: id !== null && known === undefined,
    async queryFn({ signal }) {
      const [http, { readStoredPrediction }] = await Promise.all([
        openHttp(),
        import('../../../platform/api/stored-predictions.ts'),
      ]);
      const stored = await readStoredPrediction(http, id ?? '', signal);
      return stored.state === 'done' ? stored.keptAudio : null;
    },
    // The server may be starting again; a browser's word that there is no network is not believed.
    networkMode: 'always',
    retry: (_failures, error) => waitAfter(error) !== null,
    retryDelay: (failures) => Math.min(slowestMs, 500 * 2 ** failures),
  });
  if (id === null) return null;
  return known === undefined ? data : known;
}

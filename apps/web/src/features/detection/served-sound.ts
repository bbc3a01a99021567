import { type HeardBefore, type KeptAudio, type KeptMoment, type StoredPrediction, ticketSchema } from '@chiffchaff/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { isAxiosError } from 'axios';
import { useMemo } from 'react';
import { ask } from '../../platform/api/ask.ts';
import { storedPredictionsKey } from '../../platform/api/use-stored-predictions.ts';
import { wait } from '../../platform/sending/wait.ts';
import type { OpenHttp } from '../../platform/session/page-session.ts';
import { type AccountApi, useAccountApi, useOpenHttp } from '../../platform/session/session-context.tsx';
import type { ServedRecording, Wait } from '../../ui/timeline/sound/use-playback.tsx';
import type { ReadOverview } from '../../ui/timeline/spectrogram/use-spectrogram-source.ts';

/** The copy may still be in preparation when the prediction arrives. */
const READY_RETRY_MS = [500, 1000, 2000, 4000];
const READY_WITHIN_MS = 300_000;

/** Why a later retry may help; null if it does not. */
function waitAfter(error: unknown): Wait | null {
  if (!isAxiosError(error)) return null;
  const { status } = error.response ?? {};
  // 502 and 504 come from a proxy whose server is down.
  if (status === undefined || status === 502 || status === 504) return 'outOfReach';
  return [409, 429].includes(status) || status >= 500 ? 'preparing' : null;
}

/** Retries while the server prepares the response, and without limit while it is out of reach: it continues after a restart. */
async function untilReady<Value>(
  ask: () => Promise<Value>,
  signal: AbortSignal,
  onWait: (why: Wait) => void = () => {},
  withinMs = READY_WITHIN_MS,
): Promise<Value> {
  let preparedSince = performance.now();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      const why = waitAfter(error);
      if (why === 'outOfReach') preparedSince = performance.now();
      if (why === null || performance.now() - preparedSince > withinMs) throw error;
      onWait(why);
      await wait(READY_RETRY_MS[attempt] ?? 5000, signal);
      signal.throwIfAborted();
    }
  }
}

/** @param id the prediction's, or the idempotency key of its request */
const pathOf = (id: string): string => `/v1/predictions/${encodeURIComponent(id)}`;

export function createServedRecording(openHttp: OpenHttp, id: string, excerpts?: readonly KeptMoment[]): ServedRecording {
  const path = pathOf(id);
  return {
    excerpts,
    async readLevels(query, signal, onWait) {
      const http = await openHttp();
      const options = { params: query, responseType: 'arraybuffer', signal } as const;
      const read = async () => {
        const { data } = await http.get<ArrayBuffer>(`${path}/spectrogram`, options);
        if (data.byteLength !== query.columns * query.rows) throw new RangeError('The image has another size than asked for');
        return new Uint8Array(data);
      };
      return untilReady(read, signal, onWait);
    },
    async audioUrl(signal, onWait) {
      const http = await openHttp();
      // Fetches the first byte, because a ticket is issued before the audio is ready, and an audio element would give up at the first
      // refusal. A restart voids tickets.
      const firstByte = { headers: { Range: 'bytes=0-0' }, validateStatus: (status: number) => status === 200 || status === 206 };
      const open = async () => {
        const ticket = { method: 'POST', url: `${path}/ticket`, data: { purpose: 'audio' }, signal };
        const url = http.getUri({ url: (await ask(http, ticketSchema, ticket)).url });
        await http.get(url, { ...firstByte, responseType: 'arraybuffer', signal });
        return url;
      };
      return untilReady(open, signal, onWait);
    },
  };
}

/** The audio that the server keeps of a prediction; undefined while this is not known. */
export function useServedRecording(id: string, keptAudio: KeptAudio | null | undefined): ServedRecording | null | undefined {
  const openHttp = useOpenHttp();
  return useMemo(
    () => (keptAudio ? createServedRecording(openHttp, id, keptAudio.moments) : keptAudio),
    [openHttp, id, keptAudio],
  );
}

/** Reads the overview of a recording. @param id of its prediction; null if that is not stored, or short */
export function useOverview(id: string | null): ReadOverview | null {
  const openHttp = useOpenHttp();
  return useMemo(
    () =>
      id === null
        ? null
        : async (signal, onWait) => {
            const http = await openHttp();
            const options = { responseType: 'arraybuffer', signal } as const;
            const read = () => http.get<ArrayBuffer>(`${pathOf(id)}/overview`, options);
            // It is stored with the result, so nothing is being prepared.
            const { data } = await untilReady(read, signal, onWait, 0);
            return data.byteLength === 0 ? null : new Uint8Array(data);
          },
    [openHttp, id],
  );
}

const SLOWEST_MS = 10_000;

/** What the server says beside a stored prediction: nothing until that is done. */
export const besideOf = (stored: StoredPrediction) => ({
  keptAudio: stored.state === 'done' ? stored.keptAudio : null,
  heardBefore: (stored.state === 'done' && stored.heardBefore) || [],
});

/** Retried until the server responds. */
export const besideQuery = ({ openHttp, localId }: AccountApi, id: string | null) =>
  queryOptions({
    queryKey: storedPredictionsKey(localId, 'beside', id),
    async queryFn({ signal }) {
      const [http, { readStoredPrediction }] = await Promise.all([
        openHttp(),
        import('../../platform/api/stored-predictions.ts'),
      ]);
      return besideOf(await readStoredPrediction(http, id ?? '', signal));
    },
    // The server may be restarting.
    retry: (_failures, error) => waitAfter(error) !== null,
    retryDelay: (failures) => Math.min(SLOWEST_MS, 500 * 2 ** failures),
  });

/**
 * What the server keeps of a prediction's audio; undefined until it has responded.
 *
 * @param id null if it keeps nothing
 * @param known what it has already stated
 */
export function useKeptAudio(id: string | null, known: KeptAudio | null | undefined): KeptAudio | null | undefined {
  const { data } = useQuery({ ...besideQuery(useAccountApi(), id), enabled: id !== null && known === undefined });
  if (id === null) return null;
  return known === undefined ? data?.keptAudio : known;
}

/** How often the account has heard a bird that its prediction names; undefined until the server has said it. */
export function useHeardBefore(predictionId: string, scientificName: string): HeardBefore | undefined {
  const { data } = useQuery({ ...besideQuery(useAccountApi(), predictionId), staleTime: Number.POSITIVE_INFINITY });
  return data?.heardBefore.find((bird) => bird.scientificName === scientificName);
}

import type { KeptMoment } from '@chiffchaff/contract';
import type { AxiosInstance } from 'axios';
import { useMemo } from 'react';
import { createServedRecording, type ServedRecording } from './served-recording.ts';

/**
 * The sound that the server keeps of a prediction.
 *
 * @param id null when it keeps none
 * @param moments as the prediction's `keptAudio` tells
 */
export function useServedRecording(
  openHttp: () => Promise<AxiosInstance>,
  id: string | null,
  moments?: readonly KeptMoment[],
): ServedRecording | null {
  return useMemo(() => (id === null ? null : createServedRecording(openHttp, id, moments)), [openHttp, id, moments]);
}

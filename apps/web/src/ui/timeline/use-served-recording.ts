import type { KeptAudio } from '@chiffchaff/contract';
import type { AxiosInstance } from 'axios';
import { useMemo } from 'react';
import { createServedRecording, type ServedRecording } from './served-recording.ts';

/**
 * The sound that the server keeps of a prediction.
 *
 * @param keptAudio as the server tells; undefined while nobody knows
 */
export function useServedRecording(
  openHttp: () => Promise<AxiosInstance>,
  id: string,
  keptAudio: KeptAudio | null | undefined,
): ServedRecording | null | undefined {
  return useMemo(
    () => (keptAudio ? createServedRecording(openHttp, id, keptAudio.moments) : keptAudio),
    [openHttp, id, keptAudio],
  );
}

import type { KeptAudio } from '@chiffchaff/contract';
import { useMemo } from 'react';
import { useOpenHttp } from '../../platform/open-http.ts';
import { createServedRecording, type ServedRecording } from './served-recording.ts';

/**
 * The sound that the server keeps of a prediction.
 *
 * @param keptAudio as the server tells; undefined while nobody knows
 */
export function useServedRecording(id: string, keptAudio: KeptAudio | null | undefined): ServedRecording | null | undefined {
  const openHttp = useOpenHttp();
  return useMemo(
    () => (keptAudio ? createServedRecording(openHttp, id, keptAudio.moments) : keptAudio),
    [openHttp, id, keptAudio],
  );
}

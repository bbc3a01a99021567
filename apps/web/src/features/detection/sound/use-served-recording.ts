import type { KeptAudio } from '@chiffchaff/contract';
import { useMemo } from 'react';
import { useOpenHttp } from '../../../platform/api/open-http.ts';
import type { ServedRecording } from '../../../ui/timeline/sound/served-recording.ts';
import { createServedRecording } from './served-recording.ts';

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

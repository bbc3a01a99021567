import type { AxiosInstance } from 'axios';
import { useMemo } from 'react';
import { createServedRecording, type ServedRecording } from './served-recording.ts';

/** The sound that the server keeps of a prediction. @param id null when it keeps none */
export function useServedRecording(openHttp: () => Promise<AxiosInstance>, id: string | null): ServedRecording | null {
  return useMemo(() => (id === null ? null : createServedRecording(openHttp, id)), [openHttp, id]);
}

import { useMemo } from 'react';
import { useHttpClient } from '../../platform/use-http-client.ts';
import { createServedRecording, type ServedRecording } from './served-recording.ts';

/** The sound that the server keeps of a prediction. @param id null when it keeps none */
export function useServedRecording(id: string | null): ServedRecording | null {
  const http = useHttpClient();
  return useMemo(() => (id === null ? null : createServedRecording(http, id)), [http, id]);
}

import { outbox } from '../../../platform/outbox/outbox.ts';
import type { QueueEntry } from '../queue/prediction-queue.ts';

/**
 * Adds a recording that was analysed here to the outbox, to be sent to the history when there is a connection.
 *
 * @param file the bytes to send, which may differ from the recording's
 * @returns false if the browser has no room for it
 */
export async function putAside({ request, state }: QueueEntry, file: File, localId: string): Promise<boolean> {
  if (state.kind !== 'done') return false;
  const { place, placeSource, timeZone, date, language, keepAudio } = request;
  try {
    await outbox.add({
      sound: file,
      fileName: file.name,
      startedAt: new Date(request.file.lastModified).toISOString(),
      question: { place, placeSource, timeZone, date, language },
      keepAudio,
      prediction: state.result,
      localId,
    });
    return true;
  } catch {
    return false;
  }
}

import { createStore } from '../../../platform/browser/store.ts';
import { mayHaveDeviceModel } from '../../../platform/on-device/installed-hint.ts';
import type { CheckedSendOptions } from '../../../platform/sending/request-prediction.ts';
import { preferences } from '../../../platform/storage/preferences.ts';
import type { Heard, SpeechDialog } from '../../../ui/speech-dialog.tsx';
import { looksUnlikeSound } from '../choose/use-chosen-recordings.ts';

/** Speech was found, or could not be ruled out. Files that are not audio are left to the server. */
const isUnclear = ({ file, speech }: Heard): boolean => speech?.length !== 0 && !looksUnlikeSound(file);

/** What the person is asked, and where the answers go: the file to send for each recording, null for nothing. */
export interface SpeechQuestion {
  readonly id: number;
  readonly recordings: readonly Heard[];
  readonly answer: (files: readonly (File | null)[]) => void;
}

/** Whether the person wants it, and the device may have the model. */
const mayBeWanted = (): boolean => preferences.snapshot().checkSpeech && mayHaveDeviceModel();

async function isWanted(): Promise<boolean> {
  if (!mayBeWanted()) return false;
  const found = await import('../../../platform/on-device/device-model.ts').catch(() => null);
  if (found === null) return false;
  const { snapshot, subscribe } = found.deviceModel;
  if (snapshot().kind === 'checking') {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = subscribe(resolve);
    await promise;
    end();
  }
  return snapshot().kind === 'installed';
}

export async function silence(...[file, spans]: Parameters<Parameters<typeof SpeechDialog>[0]['silence']>): Promise<File> {
  const [{ silenceSpans }, { readFileMetadata }] = await Promise.all([
    import('../../../platform/speech/silence-spans.ts'),
    import('../../../platform/recording-metadata/read-file-metadata.ts'),
  ]);
  const { date, place } = await readFileMetadata(file);
  return silenceSpans(file, spans, { timestamp: date?.value ?? null, place });
}

export type SpeechCheck = ReturnType<typeof createSpeechCheck>;

/**
 * Looks for speech in recordings before they are sent, if this device can and the person wants it. Its store is the question to ask, null
 * for none. Like the queue, it outlives the screen, and only the sending waits for it.
 */
export function createSpeechCheck() {
  const { set, ...store } = createStore<SpeechQuestion | null>(null);
  /** What was sent for a recording, so that the person is asked once. */
  const agreed = new WeakMap<File, File>();
  let skipped = new AbortController();
  let lastAnswered: Promise<unknown> = Promise.resolve();
  let lastId = 0;

  async function askNow(recordings: readonly Heard[], signal?: AbortSignal): Promise<readonly (File | null)[]> {
    const { promise, resolve } = Promise.withResolvers<readonly (File | null)[]>();
    const stop = () => resolve([]);
    signal?.addEventListener('abort', stop, { once: true });
    lastId += 1;
    set({ id: lastId, recordings, answer: resolve });
    const files = await promise;
    signal?.removeEventListener('abort', stop);
    set(null);
    return files;
  }

  return {
    ...store,
    /** Asks about those in which somebody speaks or that could not be checked. @returns what to send of each, null for nothing */
    async ask(recordings: readonly Heard[], signal?: AbortSignal): Promise<readonly (File | null)[]> {
      const unclear = (await isWanted()) ? recordings.filter(isUnclear) : [];
      const asking = unclear.length === 0 ? Promise.resolve([]) : lastAnswered.then(() => askNow(unclear, signal));
      lastAnswered = asking;
      const answers = await asking;
      return recordings.map((recording) => {
        const index = unclear.indexOf(recording);
        const file = index === -1 ? recording.file : (answers[index] ?? null);
        if (file) agreed.set(recording.file, file);
        return file;
      });
    },
    /** Sends the recording that is being checked as it is. */
    skip: () => skipped.abort(),
    /** @returns the recording, or a copy with parts silenced; null if it is not to be sent. @throws the signal's reason */
    async fileToSend(
      file: File,
      { signal, onSpeechCheck }: Pick<CheckedSendOptions, 'signal' | 'onSpeechCheck'>,
    ): Promise<File | null> {
      const known = agreed.get(file);
      if (known || !mayBeWanted()) return known ?? file;
      skipped = new AbortController();
      const { signal: skip } = skipped;
      onSpeechCheck(0); // at once: nobody is to read that it is being uploaded
      if (!(await isWanted())) return file;
      const speech = await import('../../../platform/speech/check-speech.ts')
        .then(({ checkSpeech }) => checkSpeech(file, { signal: AbortSignal.any([signal, skip]), onProgress: onSpeechCheck }))
        .catch(() => (skip.aborted ? [] : null));
      signal.throwIfAborted();
      const [answer = null] = await this.ask([{ file, speech }], signal);
      return answer;
    },
  };
}

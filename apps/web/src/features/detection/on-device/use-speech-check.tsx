import { useState } from 'react';
import { mayHaveDeviceModel } from '../../../platform/on-device/installed-hint.ts';
import { preferences } from '../../../platform/storage/preferences.ts';
import { lazyScreen } from '../../../ui/lazy-screen.tsx';
import type { ToBeSent } from '../../../ui/speech-dialog.tsx';

const SpeechDialog = lazyScreen('SpeechDialog', () => import('../../../ui/speech-dialog.tsx'));

/** The file to send for a recording: itself, or a modified copy; null for nothing. */
type FileOf = (file: File) => File | null;

interface Check {
  readonly recordings: readonly ToBeSent[];
  readonly send: (fileOf: FileOf) => void;
}

async function isWanted(): Promise<boolean> {
  if (!preferences.snapshot().checkSpeech || !mayHaveDeviceModel()) return false;
  const { isModelInstalled } = await import('./is-model-installed.ts');
  return isModelInstalled();
}

async function silence(...[file, spans]: Parameters<Parameters<typeof SpeechDialog>[0]['silence']>): Promise<File> {
  const [{ silenceSpans }, { readFileMetadata }] = await Promise.all([
    import('../../../platform/speech/silence-spans.ts'),
    import('../../../platform/recording-metadata/read-file-metadata.ts'),
  ]);
  const { date, place } = await readFileMetadata(file);
  return silenceSpans(file, spans, { timestamp: date?.value ?? null, place });
}

/** Asks about speech in recordings before they are sent, if this device can detect it and the user wants it. */
export function useSpeechCheck() {
  const [check, setCheck] = useState<Check | null>(null);
  const finish = ({ recordings, send }: Check, files: readonly (File | null)[]) => {
    const sent = new Map(recordings.map(({ file }, index) => [file, files[index] ?? null]));
    setCheck(null);
    send((file) => sent.get(file) ?? null);
  };
  return {
    /** @param send called once it is known what to send of each; not called if the user cancels */
    async beforeSending(recordings: readonly ToBeSent[], send: Check['send']): Promise<void> {
      if (recordings.length > 0 && (await isWanted().catch(() => false))) setCheck({ recordings, send });
      else send((file) => file);
    },
    dialog: check && (
      <SpeechDialog
        recordings={check.recordings}
        silence={silence}
        onDone={(files) => finish(check, files)}
        onCancel={() => setCheck(null)}
      />
    ),
  };
}

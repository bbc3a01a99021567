import type { Prediction } from '@chiffchaff/contract';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { formatBytes } from '../../../platform/format/format.ts';
import type { DeviceAnswer, DeviceQuestion } from '../../../platform/on-device/device-recognizer.ts';
import type { Outbox } from '../../../platform/outbox/create-outbox.ts';
import type { RecordedSession } from '../../../platform/recording/sessions.ts';
import { useAuthSnapshot, useReturnUrl } from '../../../platform/session/session-context.tsx';
import { silenceSpans } from '../../../platform/speech/silence-spans.ts';
import { Button } from '../../../ui/button.tsx';
import { SpeechDialog } from '../../../ui/speech-dialog.tsx';

interface Properties {
  readonly session: RecordedSession;
  readonly file: File;
  readonly speech: DeviceAnswer['speech'];
  readonly prediction: Prediction;
  readonly question: DeviceQuestion;
  readonly onSaved: () => void;
  readonly add?: Outbox['add'];
}

/** Imported when something is saved, since it opens a database. */
const addToOutbox: Outbox['add'] = async (item) => (await import('../../../platform/outbox/outbox.ts')).outbox.add(item);

/**
 * Saves a session to the account's history through the outbox. Always asks about speech first, whatever the setting for chosen files is.
 */
export function SaveSession({ session, file, speech, prediction, question, onSaved, add = addToOutbox }: Properties) {
  const { t, i18n } = useTranslation();
  const { token, localId } = useAuthSnapshot().state;
  const returnUrl = useReturnUrl();
  const [stage, setStage] = useState<'offered' | 'asking' | 'saving' | 'failed'>('offered');
  const { startedAt, place } = session;

  if (token === null)
    return (
      <Link to="/login" className="link" onClick={() => returnUrl.remember('/listen')}>
        {t('unkept.signIn')}
      </Link>
    );
  const save = async (sound: File | null) => {
    if (sound === null) return setStage('offered');
    setStage('saving');
    try {
      await add({ sound, fileName: sound.name, startedAt: startedAt.toISOString(), question, prediction, localId });
      onSaved();
    } catch {
      setStage('failed');
    }
  };
  return (
    <>
      <Button
        look="main"
        isDisabled={stage === 'saving'}
        onClick={() => (speech.length > 0 ? setStage('asking') : void save(file))}
      >
        {t('outbox.keep', { size: formatBytes(file.size, i18n.language) })}
      </Button>
      {stage === 'failed' && <span role="alert">{t('listen.notSaved')}</span>}
      {stage === 'asking' && (
        <SpeechDialog
          recordings={[{ file, speech }]}
          silence={(sound, spans) =>
            silenceSpans(sound, spans, {
              timestamp: startedAt.toISOString(),
              place: place?.kind === 'place' ? place : null,
            })
          }
          onDone={([sound = null]) => void save(sound)}
          onCancel={() => setStage('offered')}
        />
      )}
    </>
  );
}

import type { Prediction } from '@chiffchaff/contract';
import { useEffect, useRef, useState } from 'react';
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
  /** Save it without a press. */
  readonly isWanted: boolean;
  readonly onSaved: () => void;
  readonly add?: Outbox['add'];
}

const SAVED_PARAMETER = 'save';
/** Where a session is saved as soon as its owner has signed in. */
const savingPath = (id: string): string => `/listen?${new URLSearchParams({ [SAVED_PARAMETER]: id })}`;
/** The session that `savingPath` names; null if it names none. */
export const sessionToSave = (search: URLSearchParams): string | null => search.get(SAVED_PARAMETER);

/** Imported when something is saved, since it opens a database. */
const addToOutbox: Outbox['add'] = async (item) => (await import('../../../platform/outbox/outbox.ts')).outbox.add(item);

/**
 * Saves a session to the account's history through the outbox. Always asks about speech first, whatever the setting for chosen files is.
 */
export function SaveSession({ session, file, speech, prediction, question, isWanted, onSaved, add = addToOutbox }: Properties) {
  const { t, i18n } = useTranslation();
  const { token, localId } = useAuthSnapshot().state;
  const returnUrl = useReturnUrl();
  const [stage, setStage] = useState<'offered' | 'asking' | 'saving' | 'failed'>('offered');
  const { id, startedAt, place } = session;
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
  const begin = () => (speech.length > 0 ? setStage('asking') : void save(file));
  const begun = useRef(false);
  useEffect(() => {
    if (!isWanted || token === null || begun.current) return;
    begun.current = true;
    begin();
  });

  if (token === null)
    return (
      <Link to="/login" className="link" onClick={() => returnUrl.remember(savingPath(id))}>
        {t('unkept.signIn')}
      </Link>
    );
  return (
    <>
      <Button look="main" isDisabled={stage === 'saving'} onClick={begin}>
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

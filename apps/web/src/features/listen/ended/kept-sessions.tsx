import type { Prediction } from '@chiffchaff/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { useTranslation } from '../../../languages/i18n.ts';
import { saveBlob } from '../../../platform/browser/save-file.ts';
import { dateLocale, formatBytes, formatDuration } from '../../../platform/format/format.ts';
import type { DeviceAnswer, DeviceQuestion } from '../../../platform/on-device/device-recognizer.ts';
import type { Outbox } from '../../../platform/outbox/create-outbox.ts';
import { deleteSession, listSessions, type RecordedSession, readSession } from '../../../platform/recording/sessions.ts';
import { useAuthSnapshot, useReturnUrl } from '../../../platform/session/session-context.tsx';
import { accountHere, namesIn } from '../../../platform/storage/registry.ts';
import { AskFirst } from '../../../ui/ask-first.tsx';
import { Button } from '../../../ui/button.tsx';
import { SpeechDialog } from '../../../ui/speech-dialog.tsx';
import styles from '../listen.module.css';

export const keptSessionsKey = ['device', 'sessions'];

/** How many sessions wait until their account signs in again; none while another one is signed in, which learns nothing of them. */
const countWaiting = async (): Promise<number> =>
  accountHere() === null ? (await namesIn('recordings')).filter((id) => id.includes('@')).length : 0;

/** Lets the user save the audio as a file. */
export async function downloadSession(id: string): Promise<void> {
  const { file } = await readSession(id);
  saveBlob(file.name, file);
}

function KeptSession({ session, onOpen }: { readonly session: RecordedSession; readonly onOpen: (id: string) => void }) {
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  const { id, startedAt, durationSeconds, sizeBytes, place } = session;
  const at = new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'medium', timeStyle: 'short' }).format(startedAt);
  const discard = async () => {
    await deleteSession(id);
    await queries.invalidateQueries({ queryKey: keptSessionsKey });
  };
  const about = [
    formatDuration(Math.round(durationSeconds), i18n.language),
    formatBytes(sizeBytes, i18n.language),
    ...(place?.kind === 'place' && place.name !== '' ? [place.name.split(', ')[0] ?? ''] : []),
  ];
  return (
    <li className={`cluster-tight apart ${styles.session}`}>
      <span>
        <strong>{at}</strong> <span className="soft">{about.join(' · ')}</span>
      </span>
      <span className="cluster-tight">
        <Button aria-label={t('listen.sessions.openOf', { at })} onClick={() => onOpen(id)}>
          {t('listen.sessions.open')}
        </Button>
        <Button aria-label={t('listen.sessions.downloadOf', { at })} onClick={() => void downloadSession(id)}>
          {t('listen.sessions.download')}
        </Button>
        <Discard label={t('listen.sessions.discardOf', { at })} onDiscard={discard} />
      </span>
    </li>
  );
}

/** Recorded sessions that this device still has, including those of a tab that was closed or killed. */
export function KeptSessions({ onOpen }: { readonly onOpen: (id: string) => void }) {
  const { t } = useTranslation();
  const { localId } = useAuthSnapshot().state;
  const { data: [sessions, waiting] = [[], 0] } = useQuery({
    queryKey: [...keptSessionsKey, localId],
    queryFn: () => Promise.all([listSessions(), countWaiting()]),
    gcTime: 0,
  });
  if (sessions.length + waiting === 0) return null;
  return (
    <section aria-labelledby="kept-sessions" className="stack-tight parted">
      <h2 id="kept-sessions" tabIndex={-1}>
        {t('listen.sessions.title')}
      </h2>
      <p className="soft">{t('listen.sessions.help')}</p>
      {waiting > 0 && <p>{t('outbox.forSignIn', { count: waiting })}</p>}
      <ul className="rows">
        {sessions.map((session) => (
          <KeptSession key={session.id} session={session} onOpen={onOpen} />
        ))}
      </ul>
    </section>
  );
}

interface Properties {
  /** Accessible name that says which recording, if there are several. */
  readonly label?: string;
  readonly onDiscard: () => Promise<void>;
}

/** *Discard*, with a confirmation. */
export function Discard({ label, onDiscard }: Properties) {
  const { t } = useTranslation();
  return (
    <AskFirst
      aria-label={label}
      question={t('listen.sessions.sure')}
      yes={t('listen.sessions.discardNow')}
      onYes={() => void onDiscard()}
    >
      {t('listen.sessions.discard')}
    </AskFirst>
  );
}

interface SaveProperties {
  readonly session: RecordedSession;
  readonly file: File;
  readonly speech: DeviceAnswer['speech'];
  readonly prediction: Prediction;
  readonly question: DeviceQuestion;
  /** Save it without a press. */
  readonly isWanted: boolean;
  /** @param key under which the server has its prediction once that has arrived */
  readonly onSaved: (key: string) => void;
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
export function SaveSession({
  session,
  file,
  speech,
  prediction,
  question,
  isWanted,
  onSaved,
  add = addToOutbox,
}: SaveProperties) {
  const { t, i18n } = useTranslation();
  const { token, localId } = useAuthSnapshot().state;
  const returnUrl = useReturnUrl();
  const [stage, setStage] = useState<'offered' | 'asking' | 'saving' | 'failed'>('offered');
  const { id, startedAt, place } = session;
  const save = async (sound: File | null) => {
    if (sound === null) return setStage('offered');
    setStage('saving');
    try {
      onSaved(await add({ sound, fileName: sound.name, startedAt: startedAt.toISOString(), question, prediction, localId }));
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
          silence={async (sound, spans) => {
            const { silenceSpans } = await import('../../../platform/speech/silence-spans.ts');
            const metadata = { timestamp: startedAt.toISOString(), place: place?.kind === 'place' ? place : null };
            return silenceSpans(sound, spans, metadata);
          }}
          onDone={([sound = null]) => void save(sound)}
          onCancel={() => setStage('offered')}
        />
      )}
    </>
  );
}

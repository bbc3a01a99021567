import { namedBirds, type Prediction } from '@chiffchaff/contract';
import { useRef } from 'react';
import { Link } from 'react-router';
import { type Translate, useTranslation } from '../../languages/i18n.ts';
import { errorSentence } from '../../platform/api/error-sentence.ts';
import { useIsOnline } from '../../platform/browser/connection.ts';
import { saveBlob } from '../../platform/browser/save-file.ts';
import { useStore } from '../../platform/browser/store.ts';
import { formatBytes, formatDate, formatList } from '../../platform/format/format.ts';
import { percentInWords } from '../../platform/format/progress-words.ts';
import type { Outbox, OutboxEntry } from '../../platform/outbox/create-outbox.ts';
import { outbox as pageOutbox } from '../../platform/outbox/outbox.ts';
import { AskFirst } from '../../ui/ask-first.tsx';
import { Button } from '../../ui/button.tsx';
import styles from './outbox-list.module.css';

function namesOf(prediction: Prediction, t: Translate, language: string): string {
  const names = namedBirds(prediction).map(({ commonName }) => commonName);
  return names.length === 0
    ? t('outbox.noBird')
    : formatList(names, language, prediction.verdict.tied ? 'disjunction' : 'conjunction');
}

function standingInWords(entry: OutboxEntry, isOnline: boolean, t: Translate, language: string): string {
  const { standing, progress, owner, error } = entry;
  switch (standing) {
    case 'waiting':
      if (owner === null) return t('outbox.ofDevice');
      if (!isOnline) return t('outbox.waitingOffline');
      return error ? `${t('outbox.triedInVain')} ${errorSentence(error, t, language)}` : t('outbox.waiting');
    case 'leftOut':
      return t('outbox.leftOut');
    case 'sending':
      return t('progress.uploading', { percent: percentInWords(progress ?? 0, language) });
    case 'listening':
      return t('progress.listening');
    case 'refused':
      return `${t('outbox.refused')} ${error ? errorSentence(error, t, language) : ''}`.trimEnd();
    case 'arrived':
      return t('outbox.otherBirds', {
        here: namesOf(entry.prediction, t, language),
        there: entry.serverPrediction ? namesOf(entry.serverPrediction, t, language) : '',
      });
  }
}

interface ActionsProperties {
  readonly entry: OutboxEntry;
  readonly outbox: Outbox;
  /** A signed-in account could keep the items that belong to the device. */
  readonly canKeep: boolean;
  /** Called before the row disappears, to move the focus. */
  readonly onGone: () => void;
}

function Actions({ entry, outbox, canKeep, onGone }: ActionsProperties) {
  const { t, i18n } = useTranslation();
  const { id, fileName, standing, owner, bytes, serverPrediction } = entry;
  /** Its name says which recording, since each has the same buttons. */
  const named = (text: string, onClick: () => void) => (
    <Button aria-label={`${text}: ${fileName}`} onClick={onClick}>
      {text}
    </Button>
  );
  const remove = () => {
    onGone();
    void outbox.remove(id);
  };
  async function save(): Promise<void> {
    const sound = await outbox.sound(id);
    if (sound) saveBlob(fileName, sound);
  }

  if (standing === 'arrived')
    return (
      <div className="cluster">
        {serverPrediction && (
          <Link to={`/history/${encodeURIComponent(serverPrediction.id)}`} className="link" onClick={remove}>
            {t('outbox.open')}
          </Link>
        )}
        {named(t('outbox.seen'), remove)}
      </div>
    );
  const isUnderWay = standing === 'sending' || standing === 'listening';
  return (
    <div className="cluster">
      {owner === null &&
        canKeep &&
        named(t('outbox.keep', { size: formatBytes(bytes, i18n.language) }), () => void outbox.keep(id))}
      {owner !== null && !isUnderWay && named(t('outbox.sendNow'), () => void outbox.sendNow(id))}
      {owner !== null && (isUnderWay || standing === 'waiting') && named(t('outbox.leaveOut'), () => void outbox.leaveOut(id))}
      {named(t('table.download'), () => void save())}
      <AskFirst
        aria-label={`${t('outbox.delete')}: ${fileName}`}
        question={t('outbox.deleteAsk')}
        yes={t('outbox.deleteYes')}
        onYes={remove}
      >
        {t('outbox.delete')}
      </AskFirst>
    </div>
  );
}

interface WaitingProperties {
  readonly count: number;
  readonly onRemove: () => void;
}

/** Mentions recordings of accounts that are not signed in, and offers to delete them unseen. */
function WaitingForSignIn({ count, onRemove }: WaitingProperties) {
  const { t } = useTranslation();
  return (
    <>
      <p>{t('outbox.forSignIn', { count })}</p>
      <div className="cluster">
        <AskFirst question={t('outbox.forSignInAsk', { count })} yes={t('outbox.forSignInYes', { count })} onYes={onRemove}>
          {t('outbox.forSignInDelete')}
        </AskFirst>
      </div>
    </>
  );
}

interface Properties {
  /** An account is signed in. */
  readonly isSignedIn: boolean;
  readonly outbox?: Outbox;
}

/**
 * The recordings on this device that wait to be uploaded; renders nothing visible if there are none. Its texts are among the later ones.
 */
export function OutboxList({ isSignedIn, outbox = pageOutbox }: Properties) {
  const { t, i18n } = useTranslation();
  const { entries, waitingForSignIn, arrived } = useStore(outbox);
  const isOnline = useIsOnline();
  const title = useRef<HTMLHeadingElement>(null);
  const { language } = i18n;
  const here = entries.filter(({ standing }) => standing !== 'arrived');
  const bytes = here.reduce((sum, entry) => sum + entry.bytes, 0);
  const status = (
    <p role="status" className={entries.length > 0 && arrived > 0 ? undefined : 'visually-hidden'}>
      {arrived > 0 && t('outbox.arrived', { count: arrived })}
    </p>
  );
  if (entries.length + waitingForSignIn === 0) return status;
  return (
    <section className={`stack-tight wash ${styles.outbox}`} aria-labelledby="outbox-title">
      <h2 id="outbox-title" ref={title} tabIndex={-1}>
        {t(here.length + waitingForSignIn > 0 ? 'outbox.title' : 'outbox.titleArrived')}
      </h2>
      {here.length > 0 && (
        <p>
          {t('outbox.summary', { count: here.length, size: formatBytes(bytes, language) })} {t('outbox.when')}
        </p>
      )}
      {waitingForSignIn > 0 && (
        <WaitingForSignIn count={waitingForSignIn} onRemove={() => void outbox.removeWaitingForSignIn()} />
      )}
      {status}
      <ul className="stack">
        {entries.map((entry) => (
          <li key={entry.id} className={`stack gap-small ${styles.row}`} data-standing={entry.standing}>
            <p>
              <bdi className="strong">{entry.fileName}</bdi> ·{' '}
              <time dateTime={entry.startedAt}>{formatDate(entry.startedAt, language)}</time> ·{' '}
              {formatBytes(entry.bytes, language)}
            </p>
            {entry.standing !== 'arrived' && <p>{namesOf(entry.prediction, t, language)}</p>}
            <p>{standingInWords(entry, isOnline, t, language)}</p>
            <Actions
              entry={entry}
              outbox={outbox}
              canKeep={isSignedIn}
              onGone={() => title.current?.focus({ preventScroll: true })}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

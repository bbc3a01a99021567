import type { ReviewedSpeciesBody } from '@chiffchaff/contract';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from '../../platform/browser/store.ts';
import { formatPercent } from '../../platform/format/format.ts';
import { Button } from '../../ui/button.tsx';
import { KeysDialog } from '../../ui/keys/keys-dialog.tsx';
import { keysShown, useKeysKey } from '../../ui/keys/keys-shown.ts';
import { Notice } from '../../ui/notice.tsx';
import { Wordmark } from '../../ui/wordmark.tsx';
import styles from './review.module.css';
import { ReviewClipStage } from './review-clip-stage.tsx';
import { actionOf, type ReviewKeys, reviewActions, usualKeys, withKey } from './review-keys.ts';
import type { ReviewSession, ReviewSnapshot } from './review-session.ts';

/** Describes a species' precision and threshold in a sentence. */
function useStanding(target: number): (species: ReviewedSpeciesBody) => string {
  const { t, i18n } = useTranslation();
  const share = (value: number) => formatPercent(value, i18n.language);
  return ({ precision, precisionInterval, threshold, needsLabels }) => {
    if (precision === null || precisionInterval === null) return t('review.notYet');
    const { low, high } = precisionInterval;
    const known = { target: share(target), precision: share(precision), low: share(low), high: share(high) };
    return threshold === null
      ? t(needsLabels ? 'review.needsLabels' : 'review.noThreshold', known)
      : t('review.precision', { ...known, threshold: threshold.toLocaleString(i18n.language, { maximumFractionDigits: 2 }) });
  };
}

function SpeciesList({ snapshot, session }: { readonly snapshot: ReviewSnapshot; readonly session: ReviewSession }) {
  const { t } = useTranslation();
  const standing = useStanding(snapshot.target);
  const current = snapshot.current?.clip.scientificName;
  return (
    <div className={styles.list}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('review.species')}</th>
            <th scope="col">{t('review.detections')}</th>
            <th scope="col">{t('review.state')}</th>
          </tr>
        </thead>
        <tbody>
          {snapshot.species.map((species) => (
            <tr key={species.scientificName} data-current={species.scientificName === current}>
              <th scope="row">
                <Button
                  aria-label={t('review.choose', { name: species.commonName })}
                  aria-current={species.scientificName === current}
                  onClick={() => session.choose(species.scientificName)}
                >
                  {species.commonName}
                </Button>
              </th>
              <td>{species.detections}</td>
              <td>
                {species.labels > 0 && <>{t('review.labels', { count: species.labels })}. </>}
                {standing(species)}.
                {species.isDone && <strong> {t(species.isKnown ? 'review.known' : 'review.finished')}.</strong>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface KeyProperties {
  readonly keys: ReviewKeys;
  readonly areOn: boolean;
  readonly onKeys: (keys: ReviewKeys) => void;
  readonly onSwitch: (areOn: boolean) => void;
}

function KeyChoices({ keys, areOn, onKeys, onSwitch }: KeyProperties) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <div className={styles.keys}>
      <label className="line finger">
        <input type="checkbox" checked={areOn} onChange={({ target }) => onSwitch(target.checked)} /> {t('review.keysOn')}
      </label>
      <p id={`${id}-help`}>{t('review.keysHelp')}</p>
      <ul className="plain">
        {reviewActions.map((action) => (
          <li key={action} className="apart">
            <label htmlFor={`${id}-${action}`}>{t(`review.${action}`)}</label>
            <input
              id={`${id}-${action}`}
              aria-describedby={`${id}-help`}
              autoComplete="off"
              size={5}
              value={keys[action] === ' ' ? '␣' : (keys[action]?.toUpperCase() ?? '')}
              onChange={({ target }) => onKeys(withKey(keys, action, target.value.endsWith(' ') ? ' ' : target.value))}
              onFocus={({ target }) => target.select()}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Takes the keys while the next clip is awaited: a label is of none, but the last one can be undone. */
function Waiting({ keys, session }: { readonly keys: ReviewKeys | null; readonly session: ReviewSession }) {
  const { t } = useTranslation();
  const place = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    // The focus has disappeared with the last clip.
    if (document.activeElement === document.body) place.current?.focus();
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    const action = keys && actionOf({ ...event, repeat: event.nativeEvent.repeat, key: event.key }, keys);
    if (action === null) return;
    event.preventDefault();
    if (action === 'undo') void session.undo();
    else if (action !== 'play') session.miss();
  };
  return (
    <p ref={place} role="status" tabIndex={-1} onKeyDown={onKeyDown}>
      {t('review.loading')}
    </p>
  );
}

/** The page of `chiffchaff review`. */
export function ReviewScreen({ session }: { readonly session: ReviewSession }) {
  const { t } = useTranslation();
  const snapshot = useStore(session.store);
  const [keys, setKeys] = useState(usualKeys);
  const [areOn, setAreOn] = useState(true);
  const [playsAtOnce, setPlaysAtOnce] = useState(true);
  const areKeysShown = useStore(keysShown);
  useKeysKey();
  const standing = useStanding(snapshot.target);
  const { current, trouble, lastVerdict } = snapshot;
  const species = snapshot.species.find(({ scientificName }) => scientificName === current?.clip.scientificName);
  return (
    <>
      <title>{`${t('review.title')} – Chiffchaff`}</title>
      <header className={`cluster soft ${styles.header}`}>
        <Wordmark />
        <p role="status">
          {snapshot.justDone !== null && <strong>{t('review.justDone', { name: snapshot.justDone })} </strong>}
          {snapshot.isMissed && <strong>{t('review.missed')} </strong>}
          {lastVerdict !== null && `${t('review.said', { verdict: t(`review.${lastVerdict}`) })} `}
          {snapshot.saved > 0 && t('review.saved', { count: snapshot.saved, file: snapshot.labelsName })}
        </p>
      </header>
      <main className={`stack gap-large ${styles.review}`}>
        {trouble && (
          <Notice
            tone="warning"
            title={t(trouble.sentence === null ? 'review.noAnswer' : 'review.refused')}
            announce
            onRetry={session.retry}
          >
            <p>{trouble.sentence ?? t('review.noAnswerText')}</p>
          </Notice>
        )}
        {!current && !snapshot.isDone && !trouble && <Waiting keys={areOn ? keys : null} session={session} />}
        {snapshot.isDone && (
          <Notice tone="information" title={t('review.done')} announce isScreen>
            <p>{t('review.doneText')}</p>
            <pre className={styles.command}>./chiffchaff thresholds {snapshot.labelsName} --detections …</pre>
          </Notice>
        )}
        {current && (
          <ReviewClipStage
            loaded={current}
            keys={areOn ? keys : null}
            playsAtOnce={playsAtOnce}
            canUndo={snapshot.canUndo}
            names={snapshot.species.map(({ commonName }) => commonName)}
            onVerdict={session.label}
            onSkip={session.skip}
            onUndo={() => void session.undo()}
          />
        )}
        {species && <p>{standing(species)}.</p>}
        <div className={styles.options}>
          <label className="line finger">
            <input type="checkbox" checked={playsAtOnce} onChange={({ target }) => setPlaysAtOnce(target.checked)} />{' '}
            {t('review.autoPlay')}
          </label>
          {areKeysShown && (
            <KeysDialog>
              <KeyChoices keys={keys} areOn={areOn} onKeys={setKeys} onSwitch={setAreOn} />
            </KeysDialog>
          )}
        </div>
        <SpeciesList snapshot={snapshot} session={session} />
        <p className="soft small">{t('review.attribution')}</p>
      </main>
    </>
  );
}

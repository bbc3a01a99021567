import type { ReviewedSpeciesBody } from '@chiffchaff/contract';
import { useState } from 'react';
import { useTranslation } from '../../languages/i18n.ts';
import { useStore } from '../../platform/browser/store.ts';
import { formatPercent } from '../../platform/format/format.ts';
import { Button } from '../../ui/button.tsx';
import { KeyChoices, KeysDialog } from '../../ui/keys/keys-dialog.tsx';
import { keysShown, useKeysKey } from '../../ui/keys/keys-shown.ts';
import { Notice } from '../../ui/notice.tsx';
import { Wordmark } from '../../ui/wordmark.tsx';
import styles from './review.module.css';
import { ReviewClipStage, usualKeys } from './review-clip-stage.tsx';
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
            <th scope="col">{t('batchSpecies.species')}</th>
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
            title={t(trouble.sentence === null ? 'review.noAnswer' : 'failure.title')}
            announce
            onRetry={session.retry}
          >
            <p>{trouble.sentence ?? t('review.noAnswerText')}</p>
          </Notice>
        )}
        {snapshot.isDone && (
          <Notice tone="information" title={t('review.done')} announce isScreen>
            <p>{t('review.doneText')}</p>
            <pre className={styles.command}>./chiffchaff thresholds {snapshot.labelsName} --detections …</pre>
          </Notice>
        )}
        {(current || (!snapshot.isDone && !trouble)) && (
          <ReviewClipStage
            loaded={current}
            keys={areOn ? keys : null}
            playsAtOnce={playsAtOnce}
            canUndo={snapshot.canUndo}
            names={snapshot.species.map(({ commonName }) => commonName)}
            onVerdict={session.label}
            onSkip={session.skip}
            onUndo={() => void session.undo()}
            onMiss={session.miss}
          />
        )}
        {species && <p>{standing(species)}.</p>}
        <div className={`cluster ${styles.options}`}>
          <label className="line finger">
            <input type="checkbox" checked={playsAtOnce} onChange={({ target }) => setPlaysAtOnce(target.checked)} />{' '}
            {t('review.autoPlay')}
          </label>
          {areKeysShown && (
            <KeysDialog>
              <div>
                <label className="line finger">
                  <input type="checkbox" checked={areOn} onChange={({ target }) => setAreOn(target.checked)} />{' '}
                  {t('review.keysOn')}
                </label>
                <KeyChoices
                  keys={keys}
                  labelOf={(action) => t(`review.${action}`)}
                  help={t('review.keysHelp')}
                  className={styles.keys}
                  withSpace
                  onChange={setKeys}
                />
              </div>
            </KeysDialog>
          )}
        </div>
        <SpeciesList snapshot={snapshot} session={session} />
        <p className="soft small">{t('review.attribution')}</p>
      </main>
    </>
  );
}

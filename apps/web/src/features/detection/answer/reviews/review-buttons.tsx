import { type BirdReview, type FoundSpecies, namedBirds, type Prediction } from '@chiffchaff/contract';
import { IconCheck, IconPencil, IconX } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslation } from '../../../../languages/i18n.ts';
import { useFailureSentence } from '../../../../platform/api/use-call.ts';
import { languageTag } from '../../../../platform/format/species-language.ts';
import { type KeyedVerdict, usePreferences } from '../../../../platform/storage/preferences.ts';
import { Button } from '../../../../ui/button.tsx';
import { FailureLine } from '../../../../ui/notice.tsx';
import { reviewOf } from '../../../../ui/reviews/reviewed-name.tsx';
import { SpeciesLink } from '../../../../ui/species/species-link.tsx';
import styles from './reviews.module.css';
import { SpeciesField } from './species-field.tsx';
import { type ReviewStatement, useSaying } from './use-review.ts';

interface Properties {
  /** With its current reviews. */
  readonly prediction: Pick<Prediction, 'id' | 'conditions' | 'reviews'>;
  readonly bird: FoundSpecies;
  /** Only *Yes* and *No*, as icons. */
  readonly isBrief?: boolean;
}

const choices = [
  { verdict: 'confirmed', Icon: IconCheck },
  { verdict: 'rejected', Icon: IconX },
  { verdict: 'corrected', Icon: IconPencil },
] as const;

/** What the icons of the rows below mean, for those who see them and have no pointer to hover with. */
export function ReviewLegend() {
  const { t } = useTranslation();
  return (
    <p className={`line soft small ${styles.legend}`} aria-hidden="true">
      <IconCheck size="1.25rem" /> {t('birdReview.confirmed')} <IconX size="1.25rem" /> {t('birdReview.rejected')}
    </p>
  );
}

function saidOf({ verdict, to, toCommonName }: BirdReview): ReviewStatement {
  if (verdict !== 'corrected') return { verdict };
  const scientificName = to ?? '';
  return { verdict, to: { scientificName, commonName: toCommonName ?? scientificName } };
}

const isTypedInto = (target: Element): boolean => target.closest('input, textarea, select, [contenteditable], dialog') !== null;

/**
 * One key per choice, active only while the focus is in the bird's row, and never in a field or dialog (WCAG 2.1.4).
 *
 * @param part any element in the row, which is the list item around it
 */
function useBirdReviewKeys(part: RefObject<HTMLElement | null>, onKey: (verdict: KeyedVerdict) => void) {
  const { reviewKeys } = usePreferences();
  const say = useEffectEvent(onKey);
  useEffect(() => {
    const row = part.current?.closest('li');
    const press = (event: globalThis.KeyboardEvent): void => {
      const { key, target, ctrlKey, metaKey, altKey, repeat, isComposing, defaultPrevented } = event;
      if (ctrlKey || metaKey || altKey || repeat || isComposing || defaultPrevented) return;
      if (!(target instanceof Element) || isTypedInto(target)) return;
      const choice = choices.find(({ verdict }) => reviewKeys[verdict] === key.toLowerCase());
      if (choice === undefined) return;
      // Keeps the key of `It was …` from being typed into the field that it opens.
      event.preventDefault();
      say(choice.verdict);
    };
    row?.addEventListener('keydown', press);
    return () => row?.removeEventListener('keydown', press);
  }, [part, reviewKeys]);
  return reviewKeys;
}

interface AnnouncedProperties {
  readonly name: string;
  /** A review has been taken back, which shows without words. */
  readonly isUndone: boolean;
  readonly children?: ReactNode;
}

/** What has become of a bird's review: those who only hear it are told which bird, too. */
function Announced({ name, isUndone, children }: AnnouncedProperties) {
  const { t } = useTranslation();
  if (!children && !isUndone) return null;
  return (
    <>
      <span className="visually-hidden">
        {name}: {isUndone && t('birdReview.undone')}
      </span>
      {children}
    </>
  );
}

/**
 * *Yes, that was it · No · It was …* in a bird's row (a list item) of a prediction that the account keeps. A choice shows at once as being
 * saved, and as a review only once the server has acknowledged it.
 */
export function ReviewButtons({ prediction: { id, conditions, reviews }, bird, isBrief = false }: Properties) {
  const { t } = useTranslation();
  const failureOf = useFailureSentence();
  const { pending, error, say: sayOf } = useSaying(id);
  const say = (said: ReviewStatement | null) => sayOf(bird.scientificName, said);
  const last = pending.findLast(({ scientificName }) => scientificName === bird.scientificName);
  const known = reviewOf(reviews, bird.scientificName);
  const isSaving = last !== undefined;
  /** null: no review */
  const said = last ? last.said : known ? saidOf(known) : null;
  const [isAsking, setIsAsking] = useState(false);
  /** The review before the last choice; null if there was none. */
  const [before, setBefore] = useState<ReviewStatement | null>(null);
  /** What was done here in this visit: only that is announced. */
  const [done, setDone] = useState<'chosen' | 'undone' | null>(null);
  /** The button that Tab reaches; arrow keys reach the others, so that a list of birds takes fewer keys to walk through. */
  const [reached, setReached] = useState<KeyedVerdict>('confirmed');
  const tabbed = isBrief && reached === 'corrected' ? 'rejected' : reached;
  const part = useRef<HTMLDivElement>(null);
  const focusOn = (verdict: KeyedVerdict) => part.current?.querySelector<HTMLElement>(`[data-verdict="${verdict}"]`)?.focus();

  const choose = (next: ReviewStatement) => {
    setIsAsking(false);
    setBefore(said);
    setDone('chosen');
    say(next);
  };
  const undo = () => {
    // The button disappears, so the focus has to move.
    focusOn(said === null || said.verdict === 'added' ? 'confirmed' : said.verdict);
    setBefore(null);
    setDone('undone');
    say(before);
  };
  const keys = useBirdReviewKeys(part, (verdict) => {
    if (verdict === 'corrected') setIsAsking(true);
    else if (said?.verdict !== verdict) choose({ verdict });
  });
  const walk = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = choices.at((choices.findIndex(({ verdict }) => verdict === tabbed) + step) % choices.length);
    if (next) focusOn(next.verdict);
  };
  const press = (verdict: KeyedVerdict) => {
    if (verdict === 'corrected') setIsAsking(!isAsking);
    else if (said?.verdict === verdict) undo();
    else choose({ verdict });
  };
  const answer = (species: FoundSpecies) => {
    focusOn('corrected');
    choose(species.scientificName === bird.scientificName ? { verdict: 'confirmed' } : { verdict: 'corrected', to: species });
  };
  const stopAsking = () => {
    focusOn('corrected');
    setIsAsking(false);
  };
  const name = said?.verdict === 'corrected' ? said.to.commonName : bird.commonName;

  return (
    <div ref={part} className={`stack gap-small ${styles.reviews}`} data-brief={isBrief && !isAsking && error === null}>
      <div
        role="toolbar"
        aria-label={t('birdReview.group', { name: bird.commonName })}
        className={`cluster ${styles.choices}`}
        onKeyDown={walk}
      >
        {choices.map(({ verdict, Icon }) => (
          <Button
            icon={Icon}
            key={verdict}
            title={isBrief ? `${t(`birdReview.${verdict}`)} (${bird.commonName})` : undefined}
            data-verdict={verdict}
            tabIndex={verdict === tabbed ? 0 : -1}
            onFocus={() => setReached(verdict)}
            aria-pressed={said?.verdict === verdict}
            aria-expanded={verdict === 'corrected' ? isAsking : undefined}
            aria-keyshortcuts={keys[verdict] ?? undefined}
            onClick={() => press(verdict)}
          >
            <span className={styles.words}>{t(`birdReview.${verdict}`)}</span>
            <span className="visually-hidden"> ({bird.commonName})</span>
            {keys[verdict] && (
              <span className={`soft small ${styles.key}`} aria-hidden="true">
                {keys[verdict]}
              </span>
            )}
          </Button>
        ))}
      </div>
      {isAsking && <SpeciesField heardAt={conditions} onChoose={answer} onCancel={stopAsking} />}
      <div className={`cluster ${styles.outcome}`}>
        <p role="status" aria-live={done === null ? 'off' : 'polite'} className="soft small">
          <Announced name={bird.commonName} isUndone={done === 'undone' && !said && !isSaving}>
            {isSaving ? t('birdReview.saving') : said && t(`birdReview.said.${said.verdict}`, { name })}
          </Announced>
        </p>
        {said && !isSaving && (
          <button type="button" className="link small" onClick={undo}>
            {t('birdReview.undo')}
            <span className="visually-hidden"> ({bird.commonName})</span>
          </button>
        )}
      </div>
      <FailureLine sentence={failureOf(error)} undone={t('birdReview.notSaved')} className="fault" />
    </div>
  );
}

/** Reviews of birds that have no row in the answer: added ones, and those that it no longer mentions since its place was changed. */
function reviewsBeside(prediction: Prediction): readonly BirdReview[] {
  const { reviews = [], candidates, hiddenByLocation, verdict, detections } = prediction;
  const others = verdict.notExpectedHere ? [verdict.notExpectedHere] : [];
  const mentioned = [...candidates, ...hiddenByLocation, ...others, ...namedBirds(prediction), ...detections];
  const names = new Set(mentioned.map(({ scientificName }) => scientificName));
  return reviews.filter(({ scientificName, verdict: said }) => said === 'added' || !names.has(scientificName));
}

/** *There was also …*, and the birds that the account has added to a prediction, which can be taken out again. */
export function AddedBirds({ prediction }: { readonly prediction: Prediction }) {
  const { t } = useTranslation();
  const failureOf = useFailureSentence();
  const { pending, error, say } = useSaying(prediction.id);
  const [isAsking, setIsAsking] = useState(false);
  /** The bird that was added or taken out last in this visit. */
  const [last, setLast] = useState<{ readonly bird: FoundSpecies; readonly isAdded: boolean } | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const birds = reviewsBeside(prediction);
  const stopAsking = () => {
    button.current?.focus();
    setIsAsking(false);
  };
  const add = (bird: FoundSpecies) => {
    stopAsking();
    setLast({ bird, isAdded: true });
    say(bird.scientificName, { verdict: 'added' });
  };
  const takeOut = (bird: FoundSpecies) => {
    // Its button disappears, so the focus has to move.
    button.current?.focus();
    setLast({ bird, isAdded: false });
    say(bird.scientificName, null);
  };
  const isHere = (name: string) => birds.some(({ scientificName }) => scientificName === name);
  const isSaving = pending.some(({ scientificName, said }) => said?.verdict === 'added' || isHere(scientificName));
  const isDone = last !== null && !isSaving && last.isAdded === isHere(last.bird.scientificName);
  return (
    <div className="stack gap-small">
      {birds.length > 0 && (
        <ul className={`plain ${styles.added}`} aria-label={t('reviewed.addedBirds')}>
          {birds.map(({ scientificName, commonName, verdict, toCommonName }) => (
            <li key={scientificName} className="cluster finger">
              <b lang={languageTag(prediction.conditions.language)}>{commonName}</b>{' '}
              <SpeciesLink scientificName={scientificName} commonName={commonName} isBare />
              <span className="soft small">
                {verdict === 'added'
                  ? t('reviewed.addedMark')
                  : t(`birdReview.said.${verdict}`, { name: toCommonName ?? commonName })}
              </span>
              <Button onClick={() => takeOut({ scientificName, commonName })}>
                {t('reviewed.takeOut')}
                <span className="visually-hidden"> ({commonName})</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div className={`cluster ${styles.outcome}`}>
        <Button ref={button} aria-expanded={isAsking} onClick={() => setIsAsking(!isAsking)}>
          {t('reviewed.add')}
        </Button>
        <p role="status" className="soft small">
          {isSaving && t('birdReview.saving')}
          {isDone && (
            <span className="visually-hidden">
              <Announced name={last.bird.commonName} isUndone={!last.isAdded}>
                {last.isAdded && t('birdReview.said.added')}
              </Announced>
            </span>
          )}
        </p>
      </div>
      {isAsking && <SpeciesField heardAt={prediction.conditions} onChoose={add} onCancel={stopAsking} />}
      <FailureLine sentence={failureOf(error)} undone={t('birdReview.notSaved')} className="fault" />
    </div>
  );
}

import type { Prediction } from '@chiffchaff/contract';
import { type ReactNode, useContext, useId, useMemo, useRef, useState } from 'react';
import { useTranslation } from '../../../../languages/i18n.ts';
import { useFailureSentence } from '../../../../platform/api/use-call.ts';
import { Button } from '../../../../ui/button.tsx';
import { FailureLine } from '../../../../ui/notice.tsx';
import { UndoToast } from '../../../../ui/undo-toast.tsx';
import { ReviewLegend } from '../reviews/review-buttons.tsx';
import reviewStyles from '../reviews/reviews.module.css';
import { useSaying } from '../reviews/use-review.ts';
import { BirdRow, type Prominence } from './bird-row.tsx';
import styles from './birds.module.css';
import { bySureness, type ListedBird, type ListedBirds } from './listed-birds.ts';
import { PlayPassage } from './play-button.tsx';

/** From this length or number of detections on, rows show when their bird was heard. */
const LONG_SECONDS = 600;
const MANY_DETECTIONS = 50;

/** More birds than this are lines of a table that can be searched and sorted. */
const FEW_BIRDS = 5;

const orders = {
  first: (one: ListedBird, other: ListedBird) => one.firstSeconds - other.firstSeconds,
  sure: bySureness,
  count: (one: ListedBird, other: ListedBird) => other.detections.length - one.detections.length,
  name: (one: ListedBird, other: ListedBird) => one.commonName.localeCompare(other.commonName),
} as const;
const orderNames = ['first', 'sure', 'count', 'name'] as const satisfies readonly (keyof typeof orders)[];

interface Properties {
  readonly prediction: Prediction;
  readonly birds: ListedBirds;
  /** An account has the prediction. */
  readonly isKept: boolean;
  /** The headline names the only main bird. */
  readonly isAlone: boolean;
  readonly withLessLikely: boolean;
  readonly onLessLikely: (shown: boolean) => void;
  /** Below the list. */
  readonly children?: ReactNode;
}

/** All birds of a recording: those of the headline, those that are perhaps there, too, and on request the less likely ones. */
export function BirdList({ prediction, birds, isKept, isAlone, withLessLikely, onLessLikely, children }: Properties) {
  const { t } = useTranslation();
  const id = useId();
  const [order, setOrder] = useState<keyof typeof orders>('first');
  const [search, setSearch] = useState('');
  const play = useContext(PlayPassage);
  /** scientific names of the birds played in this visit */
  const [played, setPlayed] = useState<ReadonlySet<string>>(new Set());
  const { main, said, besides, lessLikely } = birds;
  const { recording, detections, verdict } = prediction;
  const isLong = recording.durationSeconds >= LONG_SECONDS || detections.length > MANY_DETECTIONS;
  const isMany = main.length + said.length + besides.length > FEW_BIRDS;
  const wanted = search.trim().toLocaleLowerCase();
  const arranged = useMemo(() => {
    const isWanted = ({ commonName, scientificName }: ListedBird) =>
      `${commonName} ${scientificName}`.toLocaleLowerCase().includes(wanted);
    const arrange = (group: readonly ListedBird[]) => (isMany ? group.filter(isWanted).toSorted(orders[order]) : group);
    return {
      main: arrange(main),
      said: arrange(said),
      besides: arrange(besides),
      lessLikely: isMany ? lessLikely.filter(isWanted) : lessLikely,
    };
  }, [main, said, besides, lessLikely, wanted, order, isMany]);

  const rows = (group: readonly ListedBird[], prominence: Prominence) =>
    group.map((bird) => (
      <PlayPassage
        key={bird.scientificName}
        value={
          play &&
          ((startSeconds, endSeconds) => {
            setPlayed(new Set(played).add(bird.scientificName));
            play(startSeconds, endSeconds);
          })
        }
      >
        <BirdRow
          bird={bird}
          prediction={prediction}
          isKept={isKept}
          prominence={prominence}
          withActivity={isLong && prominence !== 'alone'}
          isLine={isMany || prominence === 'lessLikely'}
        />
      </PlayPassage>
    ));
  const total = arranged.main.length + arranged.said.length + arranged.besides.length;
  return (
    <div className="stack-tight">
      {isMany && (
        <div className={`cluster small ${styles.controls}`}>
          <label htmlFor={`${id}-search`}>
            {t('species.search')}
            <input id={`${id}-search`} type="search" value={search} onChange={({ target }) => setSearch(target.value)} />
          </label>
          <label htmlFor={`${id}-order`}>
            {t('species.order')}
            <select
              id={`${id}-order`}
              value={order}
              onChange={({ target }) => setOrder(orderNames.find((by) => by === target.value) ?? 'first')}
            >
              {orderNames.map((by) => (
                <option key={by} value={by}>
                  {t(`species.by.${by}`)}
                </option>
              ))}
            </select>
          </label>
          <p role="status" className="soft">
            {wanted !== '' && t('species.found', { count: total + (withLessLikely ? arranged.lessLikely.length : 0) })}
          </p>
          {isKept && play && (
            <ConfirmPlayed
              prediction={prediction}
              played={[...main, ...besides].flatMap(({ scientificName }) => (played.has(scientificName) ? scientificName : []))}
            />
          )}
        </div>
      )}
      {isMany && isKept && <ReviewLegend />}
      {arranged.main.length + arranged.said.length > 0 && (
        <ul className={`rows ${styles.birds}`} data-pictures={verdict.tied || (total === 1 && !isAlone)}>
          {rows(arranged.main, isAlone ? 'alone' : 'named')}
          {rows(arranged.said, 'named')}
        </ul>
      )}
      {arranged.besides.length > 0 && (
        <div className={`plain ${styles.group}`}>
          <p id={`${id}-besides`} className="soft">
            {t('answer.perhapsAlso')}
          </p>
          <ul className={`rows ${styles.birds}`} data-pictures="false" aria-labelledby={`${id}-besides`}>
            {rows(arranged.besides, 'named')}
          </ul>
        </div>
      )}
      <div className={`cluster unless-empty ${styles.below}`}>
        {lessLikely.length > 0 && (
          <Button aria-expanded={withLessLikely} onClick={() => onLessLikely(!withLessLikely)}>
            {t(withLessLikely ? 'birdRow.hideLessLikely' : 'birdRow.showLessLikely', { count: lessLikely.length })}
          </Button>
        )}
        {children}
      </div>
      {withLessLikely && lessLikely.length > 0 && (
        <div className={`plain ${styles.group}`}>
          <p id={`${id}-less`} className="soft">
            {t('birdRow.lessLikelyHelp')}
          </p>
          {!isMany && isKept && <ReviewLegend />}
          <ul className={`rows ${styles.birds}`} data-pictures="false" aria-labelledby={`${id}-less`}>
            {rows(arranged.lessLikely, 'lessLikely')}
          </ul>
        </div>
      )}
    </div>
  );
}

interface PlayedProperties {
  readonly prediction: Prediction;
  /** scientific names of the birds that were played in this visit */
  readonly played: readonly string[];
}

/** *Confirm 4 birds you played*: those without a review, all at once and in bulk. Its room is always there, so that nothing moves. */
export function ConfirmPlayed({ prediction: { id, reviews = [] }, played }: PlayedProperties) {
  const { t } = useTranslation();
  const failureOf = useFailureSentence();
  const { pending, error, say } = useSaying(id);
  const isSaving = pending.length > 0;
  const room = useRef<HTMLDivElement>(null);
  /** what the last press confirmed; empty once it is undone or dismissed */
  const [pressed, setPressed] = useState<readonly string[]>([]);
  const [undone, setUndone] = useState(0);
  const isOneOf = (birds: readonly { readonly scientificName: string }[], name: string) =>
    birds.some(({ scientificName }) => scientificName === name);
  const open = played.filter((name) => !isOneOf(reviews, name) && !isOneOf(pending, name));
  // What was said of one of them since stays.
  const confirmed = pressed.filter((name) => reviews.some(({ scientificName, bulk }) => bulk && scientificName === name));
  const confirm = () => {
    setPressed(open);
    setUndone(0);
    for (const name of open) say(name, { verdict: 'confirmed', bulk: true });
  };
  const leave = (hadFocus: boolean) => {
    setPressed([]);
    if (hadFocus) room.current?.focus({ preventScroll: true });
  };
  const undo = () => {
    leave(true);
    setUndone(confirmed.length);
    for (const name of confirmed) say(name, null);
  };
  return (
    <div ref={room} tabIndex={-1} className={reviewStyles.played}>
      <p role="status" className="visually-hidden">
        {undone > 0 && t('confirmPlayed.undone', { count: undone })}
      </p>
      {open.length > 0 && (
        <button type="button" className="link" onClick={confirm}>
          {t('confirmPlayed.confirm', { count: open.length })}
        </button>
      )}
      {pressed.length > 0 && (
        <UndoToast
          text={isSaving ? t('birdReview.saving') : t('confirmPlayed.confirmed', { count: confirmed.length })}
          isBusy={isSaving}
          onUndo={confirmed.length > 0 ? undo : null}
          onClose={leave}
        >
          <FailureLine sentence={failureOf(error)} undone={t('birdReview.notSaved')} />
        </UndoToast>
      )}
    </div>
  );
}

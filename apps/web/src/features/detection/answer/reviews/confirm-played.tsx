import type { Prediction } from '@chiffchaff/contract';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFailureSentence } from '../../../../platform/api/use-call.ts';
import { FailureLine } from '../../../../ui/notice.tsx';
import { UndoToast } from '../../../../ui/undo-toast.tsx';
import styles from './reviews.module.css';
import { useSaying } from './use-review.ts';

interface Properties {
  readonly prediction: Prediction;
  /** scientific names of the birds that were played in this visit */
  readonly played: readonly string[];
}

/** *Confirm 4 birds you played*: those without a review, all at once and in bulk. Its room is always there, so that nothing moves. */
export function ConfirmPlayed({ prediction: { id, reviews = [] }, played }: Properties) {
  const { t } = useTranslation();
  const failureOf = useFailureSentence();
  const { pending, error, say } = useSaying(id);
  const isSaving = pending.length > 0;
  const room = useRef<HTMLDivElement>(null);
  /** what the last press confirmed; empty once it is undone or dismissed */
  const [pressed, setPressed] = useState<readonly string[]>([]);
  const isOneOf = (birds: readonly { readonly scientificName: string }[], name: string) =>
    birds.some(({ scientificName }) => scientificName === name);
  const open = played.filter((name) => !isOneOf(reviews, name) && !isOneOf(pending, name));
  // What was said of one of them since stays.
  const confirmed = pressed.filter((name) => reviews.some(({ scientificName, bulk }) => bulk && scientificName === name));
  const confirm = () => {
    setPressed(open);
    for (const name of open) say(name, { verdict: 'confirmed', bulk: true });
  };
  const leave = (hadFocus: boolean) => {
    setPressed([]);
    if (hadFocus) room.current?.focus({ preventScroll: true });
  };
  const undo = () => {
    leave(true);
    for (const name of confirmed) say(name, null);
  };
  return (
    <div ref={room} tabIndex={-1} className={styles.played}>
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

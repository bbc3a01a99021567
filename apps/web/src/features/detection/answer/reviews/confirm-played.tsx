import type { Prediction } from '@chiffchaff/contract';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { useFailureSentence } from '../../../../platform/api/use-call.ts';
import { Button } from '../../../../ui/button.tsx';
import { FailureLine } from '../../../../ui/notice.tsx';
import { TOASTS_ID, Toast } from '../../../../ui/toast.tsx';
import { useLeaving } from '../../../../ui/use-leaving.ts';
import styles from './reviews.module.css';
import { useSaying } from './use-review.ts';

/** As long as a deletion can be undone. */
const UNDO_MS = 60_000;

interface Properties {
  readonly prediction: Prediction;
  /** scientific names of the birds that were played in this visit */
  readonly played: readonly string[];
}

/** *Confirm 4 birds you played*: those without a review, all at once and in bulk. Its room is always there, so that nothing moves. */
export function ConfirmPlayed({ prediction: { id, reviews = [] }, played }: Properties) {
  const { t } = useTranslation();
  const { pending, error, say } = useSaying(id);
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
  // The toast or its button had the focus.
  const leave = () => {
    setPressed([]);
    room.current?.focus({ preventScroll: true });
  };
  const undo = () => {
    leave();
    for (const name of confirmed) say(name, null);
  };
  return (
    <div ref={room} tabIndex={-1} className={styles.played}>
      {open.length > 0 && (
        <button type="button" className="link" onClick={confirm}>
          {t('confirmPlayed.confirm', { count: open.length })}
        </button>
      )}
      {pressed.length > 0 &&
        createPortal(
          <BulkToast count={confirmed.length} isSaving={pending.length > 0} {...{ error }} onUndo={undo} onClose={leave} />,
          document.getElementById(TOASTS_ID) ?? document.body,
        )}
    </div>
  );
}

interface ToastProperties {
  readonly count: number;
  readonly isSaving: boolean;
  readonly error: Error | null;
  readonly onUndo: () => void;
  readonly onClose: () => void;
}

/** Says how many birds were confirmed, and takes them all back. Takes the focus of the button, which has disappeared. */
function BulkToast({ count, isSaving, error, onUndo, onClose }: ToastProperties) {
  const { t } = useTranslation();
  const failureOf = useFailureSentence();
  const text = useRef<HTMLParagraphElement>(null);
  const holding = useLeaving(!isSaving, onClose, UNDO_MS);
  useEffect(() => text.current?.focus({ preventScroll: true }), []);
  return (
    <Toast onClose={onClose} {...holding}>
      <p ref={text} tabIndex={-1} role="status">
        {isSaving ? t('birdReview.saving') : t('confirmPlayed.confirmed', { count })}
      </p>
      {count > 0 && !isSaving && (
        <Button icon={IconArrowBackUp} onClick={onUndo}>
          {t('birdReview.undo')}
        </Button>
      )}
      <FailureLine sentence={failureOf(error)} undone={t('birdReview.notSaved')} />
    </Toast>
  );
}

import type { KeptAudio } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { dateLocale } from '../../../platform/format/format.ts';
import styles from './answer.module.css';

const dayMs = 86_400_000;

/** What can still be heard of a recording, and until when. */
export function KeptSoundNote({ keptAudio }: { readonly keptAudio: KeptAudio | null }) {
  const { t, i18n } = useTranslation();
  const nowMs = Date.now();
  /** What goes within a day has its time beside the date: a date alone could be over already. */
  const dateOf = (instant: string): string => {
    const isSoon = Date.parse(instant) < nowMs + dayMs;
    const shape: Intl.DateTimeFormatOptions = { dateStyle: 'medium', ...(isSoon && { timeStyle: 'short' }) };
    return new Intl.DateTimeFormat(dateLocale(i18n.language), shape).format(new Date(instant));
  };
  const isLeft = (instant: string | undefined): instant is string => instant !== undefined && Date.parse(instant) > nowMs;
  const { kind, keptUntil, momentsKeptUntil } = keptAudio ?? {};
  const recording = kind === 'recording' && isLeft(keptUntil) ? dateOf(keptUntil) : null;
  const lasting = kind === 'moments' ? keptUntil : momentsKeptUntil;
  const excerpts = isLeft(lasting) ? dateOf(lasting) : null;
  const sentence =
    recording === null
      ? excerpts === null
        ? t('keep.none')
        : t('keep.momentsUntil', { date: excerpts })
      : excerpts === null
        ? t('keep.recordingUntil', { date: recording })
        : t('keep.recordingThenMoments', { date: recording, momentsDate: excerpts });
  return <p className={styles.soft}>{sentence}</p>;
}

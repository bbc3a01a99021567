import type { KeptAudio } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { dateLocale } from '../../../platform/format.ts';
import styles from './answer.module.css';

/** What can still be heard of a recording whose answer is opened again, and until when. */
export function KeptSoundNote({ keptAudio }: { readonly keptAudio: KeptAudio | null }) {
  const { t, i18n } = useTranslation();
  if (keptAudio === null) return <p className={styles.soft}>{t('keep.none')}</p>;
  const date = new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'medium' }).format(new Date(keptAudio.keptUntil));
  return <p className={styles.soft}>{t(keptAudio.kind === 'moments' ? 'keep.momentsUntil' : 'keep.recordingUntil', { date })}</p>;
}

import { type CheckUp, lostBirds } from '@chiffchaff/contract';
import { IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { formatPercent } from '../../../platform/format/format.ts';
import { Notice } from '../../../ui/notice.tsx';
import styles from './check-up.module.css';
import { soundName } from './wording.ts';

/** What the check-up of the recording found, each with what to do about it; one quiet line for what is no fault, and when all is fine. */
export function RecordingCheckUp({ checkUp }: { readonly checkUp: readonly CheckUp[] }) {
  const { t, i18n } = useTranslation();
  if (checkUp.length === 0) {
    return (
      <p className={styles.fine}>
        <IconCircleCheck aria-hidden="true" />
        {t('checkUp.fine')}
      </p>
    );
  }
  return (
    <section aria-label={t('checkUp.title')} className={styles.findings}>
      {checkUp.map((finding) => {
        const { found, advice } = wordsOf(finding, t, i18n.language);
        if (MILD.has(finding.code)) {
          return (
            <details key={found} className={styles.mild}>
              <summary>
                <IconInfoCircle aria-hidden="true" />
                {found}
              </summary>
              <p>{advice}</p>
            </details>
          );
        }
        return (
          <Notice key={found} tone="warning" title={found}>
            <p>{advice}</p>
          </Notice>
        );
      })}
    </section>
  );
}

/** Sounds that are there, where the others say that the recording itself is worse than it could be. */
const MILD: ReadonlySet<CheckUp['code']> = new Set(['SPEECH_HEARD', 'OTHER_SOUND_HEARD']);

/** A whole recording is "all"; less than one percent is not nothing. */
const WHOLE = 0.995;

function wordsOf(finding: CheckUp, t: TFunction, language: string): { found: string; advice: string } {
  const { code } = finding;
  const share = shareInPercent(finding.share, language);
  const advice = t(`checkUp.${code}do`);
  switch (code) {
    case 'SILENT':
      if (finding.share < WHOLE) return { found: t('checkUp.SILENTpart', { share }), advice: t('checkUp.SILENTpartdo') };
      return { found: t('checkUp.SILENT'), advice };
    case 'QUIET':
      return { found: t('checkUp.QUIET', { decibels: -finding.peakDecibels }), advice };
    case 'HUM':
      return { found: t('checkUp.HUM', { mains: finding.mainsHz }), advice };
    case 'BAND_LIMITED': {
      const limit = new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(finding.limitHz / 1000);
      return { found: t(`checkUp.BAND_LIMITED_${lostBirds(finding.limitHz)}`, { limit }), advice };
    }
    case 'OTHER_SOUND_HEARD': {
      const sound = soundName(finding.label, t);
      return { found: t('checkUp.OTHER_SOUND_HEARD', { sound, share }), advice };
    }
    default:
      return { found: t(`checkUp.${code}`, { share }), advice };
  }
}

const shareInPercent = (share: number, language: string): string => formatPercent(Math.max(share, 0.01), language);

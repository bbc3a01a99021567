import { type CheckUp, lostBirds } from '@chiffchaff/contract';
import { IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { formatPercent } from '../../../platform/format/format.ts';
import { Notice } from '../../../ui/notice.tsx';
import styles from './check-up.module.css';
import { soundName } from './wording.ts';

/** The findings of the recording's check-up, each with advice; one quiet line for findings that are no fault, and if there are none. */
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

/** Findings about other sounds; all others mean that the recording itself could be better. */
const MILD: ReadonlySet<CheckUp['code']> = new Set(['SPEECH_HEARD', 'OTHER_SOUND_HEARD']);

/** From this share on, the whole recording counts as silent. */
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

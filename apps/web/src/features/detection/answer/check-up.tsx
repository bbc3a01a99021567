import { type CheckUp, isFileNote, lostBirds, type OtherSound, type Prediction } from '@chiffchaff/contract';
import { IconInfoCircle } from '@tabler/icons-react';
import { type Translate, useTranslation } from '../../../languages/i18n.ts';
import { formatPercent, timeLabel } from '../../../platform/format/format.ts';
import { Notice } from '../../../ui/notice.tsx';
import answerStyles from './answer.module.css';
import { PlayButton } from './birds/play-button.tsx';
import styles from './check-up.module.css';

/**
 * The findings of the recording's check-up, each with advice; one quiet line for findings that are no fault. Of silence, the verdict itself
 * says so.
 */
export function RecordingCheckUp({ checkUp }: { readonly checkUp: readonly CheckUp[] }) {
  const { t, i18n } = useTranslation();
  const findings = checkUp.filter((finding) => !isWholeSilence(finding));
  if (findings.length === 0) return null;
  return (
    <section aria-label={t('checkUp.title')} className="stack-tight">
      {findings.map((finding) => {
        const { found, advice } = wordsOf(finding, t, i18n.language);
        if (isMild(finding)) {
          return (
            <details key={found} className={`soft small ${styles.mild}`}>
              <summary className="line">
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

/** Findings about other sounds and the file; all others mean that the recording itself could be better. */
const isMild = (finding: CheckUp): boolean => isFileNote(finding) || /_HEARD$/.test(finding.code);

/** From this share on, the whole recording counts as silent. */
const WHOLE = 0.995;
const isWholeSilence = ({ code, share }: CheckUp): boolean => code === 'SILENT' && share >= WHOLE;

/** The whole recording is silent. */
export const isSilence = ({ checkUp }: Pick<Prediction, 'checkUp'>): boolean => checkUp.some(isWholeSilence);

function wordsOf(finding: CheckUp, t: Translate, language: string): { found: string; advice: string } {
  const { code } = finding;
  const share = formatPercent(Math.max(finding.share, 0.01), language);
  const advice = t(`checkUp.${code}do`);
  switch (code) {
    case 'SILENT':
      return { found: t('checkUp.SILENTpart', { share }), advice: t('checkUp.SILENTpartdo') };
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

/**
 * The name of a sound that is not a bird's, by the model's label. Living things, and sounds that only another model knows, have no text here
 * and keep their label.
 */
export const soundName = (label: string, t: Translate): string => t(`checkUp.sound.${label as 'Dog'}`, { defaultValue: label });

/** The same within a sentence: *a dog*. */
export const soundInSentence = (label: string, t: Translate): string =>
  t(`noBird.sounds.${label as 'Dog'}`, { defaultValue: label });

/** Sounds that are not a bird's, each with its time. */
export function OtherSounds({ sounds }: { readonly sounds: readonly OtherSound[] }) {
  const { t } = useTranslation();
  if (sounds.length === 0) return null;
  return (
    <section aria-labelledby="other-title" className={`stack ${answerStyles.section}`}>
      <h2 id="other-title">{t('details.otherTitle')}</h2>
      <ul className="stack-tight">
        {sounds.map((sound) => (
          <li key={`${sound.label}@${sound.startSeconds}`} className="line">
            <PlayButton name={soundName(sound.label, t)} passage={sound} />
            <span>
              {t('details.otherSound', {
                label: soundName(sound.label, t),
                from: timeLabel(sound.startSeconds),
                to: timeLabel(sound.endSeconds),
              })}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

import type { Correction, CorrectionKind, FoundSpecies } from '@chiffchaff/contract';
import { IconArrowBackUp, IconCheck, IconPencil, IconX } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toApiError } from '../../../../platform/api/api-error.ts';
import type { HeardAt } from '../../../../platform/api/corrections.ts';
import { errorSentence } from '../../../../platform/api/error-sentence.ts';
import { useNamesLanguage } from '../../../../platform/format/names-language.ts';
import styles from './corrections.module.css';
import { SpeciesField } from './species-field.tsx';
import { type CorrectionStatement, useCorrection } from './use-correction.ts';
import { useCorrectionKeys } from './use-correction-keys.ts';

interface Properties {
  readonly predictionId: string;
  readonly heardAt: HeardAt;
  readonly bird: FoundSpecies;
  /** The prediction's initial corrections. */
  readonly corrections: readonly Correction[] | undefined;
}

const choices = [
  { kind: 'confirmed', Icon: IconCheck },
  { kind: 'rejected', Icon: IconX },
  { kind: 'corrected', Icon: IconPencil },
] as const;

/** *Yes, that was it · No · It was …* in a bird's row (a list item) of a prediction that the account keeps. */
export function CorrectionButtons({ predictionId, heardAt, bird, corrections }: Properties) {
  const { t, i18n } = useTranslation();
  const namesIn = useNamesLanguage();
  const { said, isSaving, error, say } = useCorrection(predictionId, bird.scientificName, corrections);
  const [isAsking, setIsAsking] = useState(false);
  /** The correction before the last choice; null if there was none. */
  const [before, setBefore] = useState<CorrectionStatement | null>(null);
  const part = useRef<HTMLDivElement>(null);
  const focusOn = (kind: CorrectionKind) => part.current?.querySelector<HTMLElement>(`[data-kind="${kind}"]`)?.focus();

  const choose = (next: CorrectionStatement) => {
    setIsAsking(false);
    setBefore(said);
    say(next);
  };
  const undo = () => {
    // The button disappears, so the focus has to move.
    focusOn(said?.kind ?? 'confirmed');
    setBefore(null);
    say(before);
  };
  const keys = useCorrectionKeys(part, (kind) => {
    if (kind === 'corrected') setIsAsking(true);
    else if (said?.kind !== kind) choose({ kind });
  });
  const press = (kind: CorrectionKind) => {
    if (kind === 'corrected') setIsAsking(!isAsking);
    else if (said?.kind === kind) undo();
    else choose({ kind });
  };
  const answer = (species: FoundSpecies) => {
    focusOn('corrected');
    choose(species.scientificName === bird.scientificName ? { kind: 'confirmed' } : { kind: 'corrected', correctedTo: species });
  };
  const stopAsking = () => {
    focusOn('corrected');
    setIsAsking(false);
  };
  const name = said?.kind === 'corrected' ? said.correctedTo.commonName : bird.commonName;

  return (
    <div ref={part} className={styles.corrections}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is sent with a form */}
      <div role="group" aria-label={t('correction.group', { name: bird.commonName })} className={styles.choices}>
        {choices.map(({ kind, Icon }) => (
          <button
            key={kind}
            type="button"
            data-kind={kind}
            className={styles.choice}
            aria-pressed={said?.kind === kind}
            aria-expanded={kind === 'corrected' ? isAsking : undefined}
            aria-keyshortcuts={keys[kind] ?? undefined}
            onClick={() => press(kind)}
          >
            <Icon aria-hidden="true" />
            {t(`correction.${kind}`)}
            <span className="visually-hidden"> ({bird.commonName})</span>
            {keys[kind] && (
              <span className={styles.key} aria-hidden="true">
                {keys[kind]}
              </span>
            )}
          </button>
        ))}
      </div>
      {isAsking && <SpeciesField language={namesIn} heardAt={heardAt} onChoose={answer} onCancel={stopAsking} />}
      <div className={styles.outcome}>
        <p role="status" className={styles.state}>
          {isSaving ? t('correction.saving') : said && t(`correction.said.${said.kind}`, { name })}
        </p>
        {said && !isSaving && (
          <button type="button" className="text-button" onClick={undo}>
            <IconArrowBackUp aria-hidden="true" />
            {t('correction.undo')}
            <span className="visually-hidden"> ({bird.commonName})</span>
          </button>
        )}
      </div>
      {error && (
        <p role="alert" className={styles.fault}>
          {t('correction.notSaved')} {errorSentence(toApiError(error), t, i18n.language)}
        </p>
      )}
    </div>
  );
}

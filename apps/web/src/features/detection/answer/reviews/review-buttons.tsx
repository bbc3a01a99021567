import type { BirdReview, FoundSpecies } from '@chiffchaff/contract';
import { IconArrowBackUp, IconCheck, IconPencil, IconX } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { HeardAt } from '../../../../platform/api/bird-reviews.ts';
import { useFailureSentence } from '../../../../platform/api/use-failure-sentence.ts';
import { useNamesLanguage } from '../../../../platform/format/names-language.ts';
import type { KeyedVerdict } from '../../../../platform/storage/preferences.ts';
import { Button } from '../../../../ui/button.tsx';
import { FailureLine } from '../../../../ui/failure.tsx';
import styles from './reviews.module.css';
import { SpeciesField } from './species-field.tsx';
import { useBirdReviewKeys } from './use-bird-review-keys.ts';
import { type ReviewStatement, useReview } from './use-review.ts';

interface Properties {
  readonly predictionId: string;
  readonly heardAt: HeardAt;
  readonly bird: FoundSpecies;
  /** The prediction's initial reviews. */
  readonly reviews: readonly BirdReview[] | undefined;
}

const choices = [
  { verdict: 'confirmed', Icon: IconCheck },
  { verdict: 'rejected', Icon: IconX },
  { verdict: 'corrected', Icon: IconPencil },
] as const;

/** *Yes, that was it · No · It was …* in a bird's row (a list item) of a prediction that the account keeps. */
export function ReviewButtons({ predictionId, heardAt, bird, reviews }: Properties) {
  const { t } = useTranslation();
  const failureOf = useFailureSentence();
  const namesIn = useNamesLanguage();
  const { said, isSaving, error, say } = useReview(predictionId, bird.scientificName, reviews);
  const [isAsking, setIsAsking] = useState(false);
  /** The review before the last choice; null if there was none. */
  const [before, setBefore] = useState<ReviewStatement | null>(null);
  const part = useRef<HTMLDivElement>(null);
  const focusOn = (verdict: KeyedVerdict) => part.current?.querySelector<HTMLElement>(`[data-verdict="${verdict}"]`)?.focus();

  const choose = (next: ReviewStatement) => {
    setIsAsking(false);
    setBefore(said);
    say(next);
  };
  const undo = () => {
    // The button disappears, so the focus has to move.
    focusOn(said === null || said.verdict === 'added' ? 'confirmed' : said.verdict);
    setBefore(null);
    say(before);
  };
  const keys = useBirdReviewKeys(part, (verdict) => {
    if (verdict === 'corrected') setIsAsking(true);
    else if (said?.verdict !== verdict) choose({ verdict });
  });
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
    <div ref={part} className={styles.reviews}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is sent with a form */}
      <div role="group" aria-label={t('birdReview.group', { name: bird.commonName })} className={styles.choices}>
        {choices.map(({ verdict, Icon }) => (
          <Button
            key={verdict}
            data-verdict={verdict}
            aria-pressed={said?.verdict === verdict}
            aria-expanded={verdict === 'corrected' ? isAsking : undefined}
            aria-keyshortcuts={keys[verdict] ?? undefined}
            onClick={() => press(verdict)}
          >
            <Icon aria-hidden="true" />
            {t(`birdReview.${verdict}`)}
            <span className="visually-hidden"> ({bird.commonName})</span>
            {keys[verdict] && (
              <span className={styles.key} aria-hidden="true">
                {keys[verdict]}
              </span>
            )}
          </Button>
        ))}
      </div>
      {isAsking && <SpeciesField language={namesIn} heardAt={heardAt} onChoose={answer} onCancel={stopAsking} />}
      <div className={styles.outcome}>
        <p role="status" className={styles.state}>
          {isSaving ? t('birdReview.saving') : said && t(`birdReview.said.${said.verdict}`, { name })}
        </p>
        {said && !isSaving && (
          <Button onClick={undo}>
            <IconArrowBackUp aria-hidden="true" />
            {t('birdReview.undo')}
            <span className="visually-hidden"> ({bird.commonName})</span>
          </Button>
        )}
      </div>
      <FailureLine sentence={failureOf(error)} undone={t('birdReview.notSaved')} className={styles.fault} />
    </div>
  );
}

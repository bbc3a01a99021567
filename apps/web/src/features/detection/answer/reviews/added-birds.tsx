import { type BirdReview, type FoundSpecies, namedBirds, type Prediction } from '@chiffchaff/contract';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFailureSentence } from '../../../../platform/api/use-failure-sentence.ts';
import { useNamesLanguage } from '../../../../platform/format/names-language.ts';
import { languageTag } from '../../../../platform/format/species-language.ts';
import { Button } from '../../../../ui/button.tsx';
import { FailureLine } from '../../../../ui/failure.tsx';
import { SpeciesLink } from '../../../../ui/species/species-link.tsx';
import styles from './reviews.module.css';
import { SpeciesField } from './species-field.tsx';
import { useSaying } from './use-review.ts';

/** Reviews of birds that have no row in the answer: added ones, and those that it no longer mentions since its place was changed. */
function reviewsBeside(prediction: Prediction): readonly BirdReview[] {
  const { reviews = [], candidates, hiddenByLocation, verdict, detections } = prediction;
  const others = verdict.notExpectedHere ? [verdict.notExpectedHere] : [];
  const mentioned = [...candidates, ...hiddenByLocation, ...others, ...namedBirds(prediction), ...detections];
  const names = new Set(mentioned.map(({ scientificName }) => scientificName));
  return reviews.filter(({ scientificName, verdict: said }) => said === 'added' || !names.has(scientificName));
}

/** *There was also …*, and the birds that the account has added to a prediction, which can be taken out again. */
export function AddedBirds({ prediction }: { readonly prediction: Prediction }) {
  const { t } = useTranslation();
  const failureOf = useFailureSentence();
  const namesIn = useNamesLanguage();
  const { pending, error, say } = useSaying(prediction.id);
  const [isAsking, setIsAsking] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const birds = reviewsBeside(prediction);
  const stopAsking = () => {
    button.current?.focus();
    setIsAsking(false);
  };
  const add = ({ scientificName }: FoundSpecies) => {
    stopAsking();
    say(scientificName, { verdict: 'added' });
  };
  const takeOut = (scientificName: string) => {
    // Its button disappears, so the focus has to move.
    button.current?.focus();
    say(scientificName, null);
  };
  const isSaving = pending.some(({ said }) => said === null || said.verdict === 'added');
  return (
    <div className={styles.reviews}>
      {birds.length > 0 && (
        <ul className={styles.added} aria-label={t('reviewed.addedBirds')}>
          {birds.map(({ scientificName, commonName, verdict, toCommonName }) => (
            <li key={scientificName}>
              <b lang={languageTag(prediction.conditions.language)}>{commonName}</b>{' '}
              <SpeciesLink scientificName={scientificName} commonName={commonName} />
              <span className={styles.state}>
                {verdict === 'added'
                  ? t('reviewed.addedMark')
                  : t(`birdReview.said.${verdict}`, { name: toCommonName ?? commonName })}
              </span>
              <Button onClick={() => takeOut(scientificName)}>
                {t('reviewed.takeOut')}
                <span className="visually-hidden"> ({commonName})</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div className={styles.outcome}>
        <Button ref={button} aria-expanded={isAsking} onClick={() => setIsAsking(!isAsking)}>
          {t('reviewed.add')}
        </Button>
        <p role="status" className={styles.state}>
          {isSaving && t('birdReview.saving')}
        </p>
      </div>
      {isAsking && <SpeciesField language={namesIn} heardAt={prediction.conditions} onChoose={add} onCancel={stopAsking} />}
      <FailureLine sentence={failureOf(error)} undone={t('birdReview.notSaved')} className={styles.fault} />
    </div>
  );
}

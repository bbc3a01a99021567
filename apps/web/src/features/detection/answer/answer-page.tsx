import type { ComponentProps } from 'react';
import { useTranslation } from '../../../languages/i18n.ts';
import { saidInstead } from '../../../ui/reviews/reviewed-name.tsx';
import { AnswerStage } from './answer-stage.tsx';
import { listBirds } from './birds/listed-birds.ts';
import { useReviewed } from './reviews/use-review.ts';
import { headlineOf } from './wording.ts';

/** A result that is all of the page, whose title is its headline, or what its owner said instead. */
export function AnswerPage(properties: ComponentProps<typeof AnswerStage>) {
  const { t, i18n } = useTranslation();
  const { prediction, isKept } = properties;
  const { reviews } = useReviewed(prediction, isKept);
  const said = saidInstead(prediction.verdict, reviews, t, i18n.language);
  const result = said || headlineOf(prediction, listBirds(prediction).main, t, i18n.language);
  return (
    <>
      <title>{t('reviewed.title', { result })}</title>
      <AnswerStage {...properties} />
    </>
  );
}

import { birdsOfSentence, namedBirds, type Prediction } from '@chiffchaff/contract';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { reviewsQuery } from '../../../platform/api/bird-reviews.ts';
import { errorSentence } from '../../../platform/api/error-sentence.ts';
import { usePublicConfig } from '../../../platform/api/public-config.ts';
import { languageTag } from '../../../platform/format/species-language.ts';
import { useAccountApi } from '../../../platform/session/session-context.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { reviewsInWords } from '../../../ui/reviews/reviews-in-words.ts';
import { verdictSentence } from '../answer/wording.ts';
import { progressInWords } from '../progress-in-words.ts';
import type { QueueEntry } from './prediction-queue.ts';
import styles from './queue.module.css';

/** Birds that a row names; it counts the others. */
const MOST_NAMED = 2;

/** What was heard, as the answer says it: what its owner said, else its birds, those of the headline first, the surest first. */
function Heard({ prediction }: { readonly prediction: Prediction }) {
  const { t, i18n } = useTranslation();
  const api = useAccountApi();
  // Uses reviews that are already loaded; the list sends no requests.
  const { data: reviews = prediction.reviews } = useQuery({ ...reviewsQuery(api, prediction.id), enabled: false });
  const said = reviewsInWords(reviews, t, i18n.language);
  if (said !== '') return <span className={styles.words}>{said}</span>;
  const { verdict, conditions } = prediction;
  const named = namedBirds(prediction);
  const isSentence = named.length === 0 || verdict.tied || verdict.genus !== null || verdict.notExpectedHere !== null;
  if (isSentence) return <span className={styles.words}>{verdictSentence(prediction, t, i18n.language)}</span>;
  const headline = new Set(birdsOfSentence(verdict, named));
  const birds = named.toSorted(
    (one, other) => Number(headline.has(other)) - Number(headline.has(one)) || other.confidence - one.confidence,
  );
  const others = birds.length - MOST_NAMED;
  return birds.slice(0, MOST_NAMED).map((bird, index) => (
    <span key={bird.scientificName} className={styles.bird}>
      <span lang={languageTag(conditions.language)}>{bird.commonName}</span>{' '}
      <span className={styles.words}>
        {t(`word.${bird.confidenceWord}`)}
        {index === MOST_NAMED - 1 && others > 0 && ` +${others}`}
      </span>
    </span>
  ));
}

interface Properties {
  readonly entry: QueueEntry;
  readonly isShown: boolean;
  readonly onOpen: (id: string) => void;
  readonly onRemove: (id: string) => void;
}

/** A recording and what was heard in it. Memoised, since hundreds may wait while one makes progress. */
export const QueueRow = memo(({ entry, isShown, onOpen, onRemove }: Properties) => {
  const { t, i18n } = useTranslation();
  const { data: config } = usePublicConfig();
  const { id, request, state } = entry;
  const { name } = request.file;
  return (
    <li className={styles.row} data-state={state.kind} data-shown={isShown}>
      <button type="button" className={styles.open} aria-current={isShown ? 'true' : undefined} onClick={() => onOpen(id)}>
        <bdi className={styles.name}>{name}</bdi>{' '}
        {state.kind === 'done' ? (
          <Heard prediction={state.result} />
        ) : (
          <span className={styles.words}>
            {state.kind === 'failed'
              ? errorSentence(state.error, t, i18n.language, config?.limits)
              : progressInWords(state, t, i18n.language)}
          </span>
        )}
      </button>
      <IconButton className={styles.remove} label={t('batch.remove', { name })} icon={IconX} onClick={() => onRemove(id)} />
    </li>
  );
});

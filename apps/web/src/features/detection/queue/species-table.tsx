import {
  type BirdReview,
  countedBirds,
  isFound,
  isRefused,
  likelyElsewhere,
  type NamedBird,
  namedBirds,
  reviewedAs,
} from '@chiffchaff/contract';
import { useQueries } from '@tanstack/react-query';
import { Fragment, useId } from 'react';
import { useTranslation } from '../../../languages/i18n.ts';
import { reviewsQuery, withReviews } from '../../../platform/api/bird-reviews.ts';
import { languageTag } from '../../../platform/format/species-language.ts';
import { useWords } from '../../../platform/format/words.ts';
import { useAccountApi } from '../../../platform/session/session-context.tsx';
import type { QueueEntry } from './prediction-queue.ts';
import styles from './species-table.module.css';

/** If a species has more recordings, they are behind a disclosure. */
const MOST_IN_SIGHT = 3;

interface Properties {
  readonly entries: readonly QueueEntry[];
  readonly onShow: (id: string) => void;
}

/** The species in the finished recordings, each with the number of recordings, its best confidence and links to them. */
export function SpeciesTable({ entries, onShow }: Properties) {
  const { t } = useTranslation();
  const titleId = useId();
  const words = useWords();
  const api = useAccountApi();
  const answered = entries.flatMap(({ id, request, state }) =>
    state.kind === 'done' ? [{ id, name: request.file.name, prediction: state.result }] : [],
  );
  // Uses reviews that are already loaded; the table sends no requests.
  const said = useQueries({
    queries: answered.map(({ prediction }) => ({ ...reviewsQuery(api, prediction.id), enabled: false })),
  });
  const species = speciesOf(
    answered.map(({ prediction, ...recording }, index) => {
      const { reviews = [] } = prediction;
      const corrected = withReviews(prediction, said[index]?.data ?? reviews);
      const fromElsewhere = [...namedBirds(prediction).filter((bird) => !isFound(bird)), ...likelyElsewhere(prediction)];
      return { ...recording, birds: countedBirds(prediction), fromElsewhere, reviews: corrected.reviews ?? [] };
    }),
  );
  const namesIn = answered[0] && languageTag(answered[0].prediction.conditions.language);
  if (species.length === 0) return null;
  const links = (recordings: readonly { readonly id: string; readonly name: string }[]) => (
    <div className="cluster-tight">
      {recordings.map(({ id, name }, index) => (
        <Fragment key={id}>
          {index > 0 && ' '}
          <button type="button" className="link" onClick={() => onShow(id)}>
            <bdi className={styles.name}>{name}</bdi>
          </button>
        </Fragment>
      ))}
    </div>
  );
  return (
    <section aria-labelledby={titleId} className={styles.species}>
      <h2 id={titleId}>{t('batchSpecies.title')}</h2>
      <table className={`small ${styles.table}`} aria-labelledby={titleId}>
        <thead>
          <tr>
            <th scope="col">{t('batchSpecies.species')}</th>
            <th scope="col">{t('batchSpecies.best')}</th>
            <th scope="col">{t('batchSpecies.recordings')}</th>
          </tr>
        </thead>
        <tbody>
          {species.map(({ scientificName, commonName, confidence, isConfirmed, isElsewhere, recordings }) => (
            <tr key={scientificName}>
              <th scope="row">
                <span lang={namesIn}>{commonName}</span> <i lang="la">{scientificName}</i>
              </th>
              <td>
                {isConfirmed ? t('birdReview.confirmedByYou') : isElsewhere ? t('table.hidden') : words.describe({ confidence })}
              </td>
              <td>
                {recordings.length <= MOST_IN_SIGHT ? (
                  links(recordings)
                ) : (
                  <details>
                    <summary>{t('batchSpecies.count', { count: recordings.length })}</summary>
                    {links(recordings)}
                  </details>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface AnsweredRecording {
  readonly id: string;
  readonly name: string;
  readonly birds: readonly Pick<NamedBird, 'scientificName' | 'commonName' | 'confidence'>[];
  /** those that do not live at the assumed place */
  readonly fromElsewhere?: readonly Pick<NamedBird, 'scientificName' | 'commonName'>[];
  readonly reviews: readonly BirdReview[];
}

/** The birds of a recording after its owner's reviews: without rejected ones, with confirmed and added ones and replacements. */
function birdsOf({ birds, reviews }: AnsweredRecording) {
  const refused = new Set(reviews.filter(isRefused).map(({ scientificName }) => scientificName));
  const confidenceOf = new Map(birds.map(({ scientificName, confidence }) => [scientificName, confidence]));
  const said = reviews.map(reviewedAs).filter((bird) => bird !== null);
  const confirmed = new Map(said.map((bird) => [bird.scientificName, { ...bird, isConfirmed: true }]));
  const named = birds
    .filter(({ scientificName }) => !refused.has(scientificName) && !confirmed.has(scientificName))
    .map(({ scientificName, commonName }) => ({ scientificName, commonName, isConfirmed: false }));
  return [...confirmed.values(), ...named].map((bird) => ({ ...bird, confidence: confidenceOf.get(bird.scientificName) ?? 0 }));
}

const genusOf = ({ scientificName }: Pick<NamedBird, 'scientificName'>): string | undefined => scientificName.split(' ')[0];

/**
 * The species of several recordings: those in most recordings first, then the surest. A bird from elsewhere counts, without its confidence,
 * as one of its genus in the other recordings, unless a review says what it or that one is; without one, it comes last.
 */
export function speciesOf(answered: readonly AnsweredRecording[]) {
  const found = answered.flatMap((recording) => {
    const { id, name } = recording;
    return birdsOf(recording).map((bird) => ({ ...bird, recording: { id, name, confidence: bird.confidence } }));
  });
  const folded = answered.flatMap(({ id, name, fromElsewhere = [], reviews }) => {
    const said = new Set(reviews.map(({ scientificName }) => scientificName));
    const own = new Set(found.flatMap(({ scientificName, recording }) => (recording.id === id ? [scientificName] : [])));
    return fromElsewhere.flatMap((bird) => {
      const ofGenus = found.filter((one) => genusOf(one) === genusOf(bird));
      const here = ofGenus.find(({ scientificName }) => scientificName !== bird.scientificName);
      const isDecided = here ? own.has(here.scientificName) || said.has(here.scientificName) : ofGenus.length > 0;
      if (isDecided || said.has(bird.scientificName)) return [];
      return [{ ...(here ?? bird), isConfirmed: false, isElsewhere: here === undefined, recording: { id, name, confidence: 0 } }];
    });
  });
  const species = [
    ...Map.groupBy(
      [...found.map((bird) => ({ ...bird, isElsewhere: false })), ...folded],
      ({ scientificName }) => scientificName,
    ).values(),
  ].flatMap((ones) => {
    const [first] = ones;
    if (first === undefined) return [];
    const recordings = ones.map(({ recording }) => recording).toSorted((one, other) => other.confidence - one.confidence);
    const { scientificName, commonName } = first;
    /** Its owner confirmed or added it in each recording that contains it. */
    const isConfirmed = ones.every((one) => one.isConfirmed);
    const isElsewhere = ones.every((one) => one.isElsewhere);
    return [{ scientificName, commonName, isConfirmed, isElsewhere, recordings, confidence: recordings[0]?.confidence ?? 0 }];
  });
  return species.toSorted(
    (one, other) =>
      Number(one.isElsewhere) - Number(other.isElsewhere) ||
      other.recordings.length - one.recordings.length ||
      other.confidence - one.confidence,
  );
}

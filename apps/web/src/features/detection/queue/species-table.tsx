import { countedBirds, isFound, namedBirds } from '@chiffchaff/contract';
import { useQueries } from '@tanstack/react-query';
import { Fragment, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { reviewsQuery, withReviews } from '../../../platform/api/bird-reviews.ts';
import { languageTag } from '../../../platform/format/species-language.ts';
import { useWords } from '../../../platform/format/words.ts';
import { useAccountApi } from '../../../platform/session/session-context.tsx';
import type { QueueEntry } from './prediction-queue.ts';
import { type BatchSpecies, speciesOf } from './species-of-batch.ts';
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
      const fromElsewhere = namedBirds(prediction).filter((bird) => !isFound(bird));
      return { ...recording, birds: countedBirds(prediction), fromElsewhere, reviews: corrected.reviews ?? [] };
    }),
  );
  const namesIn = answered[0] && languageTag(answered[0].prediction.conditions.language);
  if (species.length === 0) return null;
  const links = (recordings: BatchSpecies['recordings']) => (
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
          {species.map(({ scientificName, commonName, confidence, isConfirmed, recordings }) => (
            <tr key={scientificName}>
              <th scope="row">
                <span lang={namesIn}>{commonName}</span> <i lang="la">{scientificName}</i>
              </th>
              <td>{isConfirmed ? t('birdReview.confirmedByYou') : words.describe({ confidence })}</td>
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

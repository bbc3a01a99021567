import {
  birdFromElsewhere,
  birdsOfSentence,
  csvTable,
  isFound,
  namedBirds,
  type Prediction,
  reviewedAs,
} from '@chiffchaff/contract';
import { IconDownload, IconPlus, IconX } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { memo, useCallback, useContext, useEffect, useRef } from 'react';
import { useTranslation } from '../../../languages/i18n.ts';
import { isProblem, toApiError } from '../../../platform/api/api-error.ts';
import { reviewsQuery, withReviews } from '../../../platform/api/bird-reviews.ts';
import { errorSentence } from '../../../platform/api/error-sentence.ts';
import { usePublicConfig } from '../../../platform/api/public-config.ts';
import { useFailureSentence } from '../../../platform/api/use-call.ts';
import { saveFile } from '../../../platform/browser/save-file.ts';
import { languageTag } from '../../../platform/format/species-language.ts';
import { useAccountApi } from '../../../platform/session/session-context.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { FailureLine } from '../../../ui/notice.tsx';
import { reviewOf, saidInstead } from '../../../ui/reviews/reviewed-name.tsx';
import { FollowsAnotherStage } from '../../../ui/stage-heading.tsx';
import { verdictSentence } from '../answer/wording.ts';
import { progressInWords } from '../prediction-state.ts';
import type { QueueEntry, QueueSnapshot } from './prediction-queue.ts';
import styles from './queue.module.css';
import { SpeciesTable } from './species-table.tsx';

interface Properties {
  readonly queue: QueueSnapshot;
  /** The recording that is shown beside the list, or was shown in its place before. */
  readonly current: string | null;
  /** Beside it is nothing: it is a stage by itself, and the heading of the page is its own. */
  readonly isAlone: boolean;
  /** null opens the form for choosing more recordings. */
  readonly onOpen: (id: string | null) => void;
  readonly onRemove: (id: string) => void;
  readonly onClear: () => void;
  /** Sends recordings again whose predictions no account has; null while none is signed in. */
  readonly onKeep: ((ids: readonly string[]) => void) | null;
}

/** All recordings of this visit, and what was heard in them. */
export function QueuePanel({ queue, current, isAlone, onOpen, onRemove, onClear, onKeep }: Properties) {
  const { t } = useTranslation();
  const failureOf = useFailureSentence();
  const title = useRef<HTMLHeadingElement>(null);
  const latest = useRef({ onOpen, onRemove });
  latest.current = { onOpen, onRemove };
  const open = useCallback((id: string) => latest.current.onOpen(id), []);
  const remove = useCallback((id: string) => {
    latest.current.onRemove(id);
    title.current?.focus({ preventScroll: true });
  }, []);
  const takesFocus = useContext(FollowsAnotherStage);
  const list = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only as it appears
  useEffect(() => {
    if (!isAlone || !takesFocus) return;
    // Back from a recording to its row.
    const row = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (row) {
      row.focus();
      return;
    }
    window.scrollTo(0, 0);
    title.current?.focus({ preventScroll: true });
  }, []);
  const answered = queue.entries.filter(({ state }) => state.kind === 'done').length;
  const failed = queue.entries.filter(({ state }) => state.kind === 'failed').length;
  const unkept = queue.entries
    .filter(({ state, isKept, isAudioMissing, isPutAside }) => state.kind === 'done' && !isKept && !isAudioMissing && !isPutAside)
    .map(({ id }) => id);
  const total = queue.entries.length;
  const api = useAccountApi();
  const queries = useQueryClient();
  /** With its current reviews, from whichever page; unchanged if the account has deleted it since. */
  const reviewed = async (prediction: Prediction): Promise<Prediction> => {
    try {
      return withReviews(prediction, await queries.fetchQuery(reviewsQuery(api, prediction.id)));
    } catch (error) {
      if (isProblem(toApiError(error), 'NOT_FOUND')) return prediction;
      throw error;
    }
  };
  const save = useMutation({
    async mutationFn() {
      const answers = queue.entries.flatMap(({ state, isKept }) =>
        state.kind === 'done' ? [isKept ? reviewed(state.result) : state.result] : [],
      );
      // People open these files themselves, often in a spreadsheet.
      return csvTable(await Promise.all(answers), { excelSafe: true });
    },
    onSuccess: (table) => saveFile('chiffchaff.csv', table),
  });
  const Title = isAlone ? 'h1' : 'h2';
  return (
    <section className={`stack-tight ${styles.queue}`} data-alone={isAlone} aria-labelledby="queue-title">
      <div className={`stack gap-small ${styles.head}`}>
        <Title id="queue-title" ref={title} tabIndex={-1}>
          {t('choose.total', { count: total })}
        </Title>
        <p role="status" className="soft">
          {t('batch.summary', { answered, total })}
          {failed > 0 && ` ${t('batch.failed', { count: failed })}`}
        </p>
      </div>
      <div className="cluster">
        <Button icon={IconPlus} onClick={() => onOpen(null)}>
          {t('choose.more')}
        </Button>
        {answered > 0 && (
          <Button icon={IconDownload} onClick={() => save.mutate()}>
            {t('batch.download')}
          </Button>
        )}
        {onKeep && unkept.length > 0 && <Button onClick={() => onKeep(unkept)}>{t('batch.keep')}</Button>}
      </div>
      <FailureLine sentence={failureOf(save.error)} />
      <ul ref={list} className="plain" aria-labelledby="queue-title">
        {queue.entries.map((entry) => (
          <QueueRow key={entry.id} entry={entry} isShown={entry.id === current} onOpen={open} onRemove={remove} />
        ))}
      </ul>
      {answered > 1 && <SpeciesTable entries={queue.entries} onShow={open} />}
      <div className="cluster">
        <Button onClick={onClear}>{t('batch.clear')}</Button>
      </div>
    </section>
  );
}

/** Birds that a row names; it counts the others. */
const MOST_NAMED = 2;

/** What was heard, as the answer says it: what its owner said, else its birds, those of the headline first, the surest first. */
function Heard({ prediction }: { readonly prediction: Prediction }) {
  const { t, i18n } = useTranslation();
  const api = useAccountApi();
  // Uses reviews that are already loaded; the list sends no requests.
  const { data: reviews = prediction.reviews } = useQuery({ ...reviewsQuery(api, prediction.id), enabled: false });
  const { verdict, conditions } = prediction;
  const said = saidInstead(verdict, reviews, t, i18n.language);
  if (said !== '') return <span className={`soft small ${styles.words}`}>{said}</span>;
  const named = namedBirds(prediction);
  const elsewhere = birdFromElsewhere(prediction);
  const isSentence = !named.some(isFound) || verdict.tied || verdict.genus !== null || verdict.notExpectedHere !== null;
  if (isSentence) return <span className={`soft small ${styles.words}`}>{verdictSentence(prediction, t, i18n.language)}</span>;
  const headline = new Set(birdsOfSentence(verdict, named));
  const birds = named
    .filter(
      (bird) =>
        (isFound(bird) || bird.scientificName === elsewhere?.scientificName) &&
        reviewOf(reviews, bird.scientificName) === undefined,
    )
    .toSorted((one, other) => Number(headline.has(other)) - Number(headline.has(one)) || other.confidence - one.confidence);
  const own = (reviews ?? []).flatMap((review) => reviewedAs(review) ?? []);
  const listed = [
    ...own.map((bird) => ({ ...bird, word: t('birdReview.confirmedByYou') })),
    ...birds.map((bird) => ({ ...bird, word: isFound(bird) ? t(`word.${bird.confidenceWord}`) : t('history.elsewhere') })),
  ];
  const others = listed.length - MOST_NAMED;
  return listed.slice(0, MOST_NAMED).map(({ scientificName, commonName, word }, index) => (
    <span key={scientificName}>
      <span lang={languageTag(conditions.language)}>{commonName}</span>{' '}
      <span className={`soft small ${styles.words}`}>
        {word}
        {index === MOST_NAMED - 1 && others > 0 && ` +${others}`}
      </span>
    </span>
  ));
}

interface QueueRowProperties {
  readonly entry: QueueEntry;
  readonly isShown: boolean;
  readonly onOpen: (id: string) => void;
  readonly onRemove: (id: string) => void;
}

/** A recording and what was heard in it. Memoised, since hundreds may wait while one makes progress. */
const QueueRow = memo(({ entry, isShown, onOpen, onRemove }: QueueRowProperties) => {
  const { t, i18n } = useTranslation();
  const { data: config } = usePublicConfig();
  const { id, request, state } = entry;
  const { name } = request.file;
  return (
    <li className={styles.row} data-state={state.kind} data-shown={isShown}>
      <button
        type="button"
        className={`small ${styles.open}`}
        aria-current={isShown ? 'true' : undefined}
        onClick={() => onOpen(id)}
      >
        <bdi className={`strong ${styles.name}`}>{name}</bdi>{' '}
        {state.kind === 'done' ? (
          <Heard prediction={state.result} />
        ) : (
          <span className={`soft small ${styles.words}`}>
            {state.kind === 'failed'
              ? errorSentence(state.error, t, i18n.language, config?.limits)
              : progressInWords(state, t, i18n.language)}
          </span>
        )}
      </button>
      <IconButton label={t('choose.remove', { name })} icon={IconX} onClick={() => onRemove(id)} />
    </li>
  );
});

import type { PredictionSummary } from '@chiffchaff/contract';
import { IconDownload } from '@tabler/icons-react';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Link } from 'react-router';
import { useTranslation } from '../../languages/i18n.ts';
import { toApiError } from '../../platform/api/api-error.ts';
import { errorSentence } from '../../platform/api/error-sentence.ts';
import { exportAddress, type PredictionFilter, readPredictions } from '../../platform/api/stored-predictions.ts';
import { useCall } from '../../platform/api/use-call.ts';
import { useDeletion } from '../../platform/api/use-deletion.ts';
import { refreshStoredPredictions, storedPredictionsKey, useWorkInHand } from '../../platform/api/use-stored-predictions.ts';
import { useIsOnline } from '../../platform/browser/connection.ts';
import { saveFrom } from '../../platform/browser/save-file.ts';
import { useIsWide, useStore } from '../../platform/browser/store.ts';
import { useNamesLanguage } from '../../platform/format/species-language.ts';
import { outboxCount } from '../../platform/outbox/outbox-page.ts';
import { useAccountApi, useAuthSnapshot } from '../../platform/session/session-context.tsx';
import { isOutOfReach, listKeptAnswers } from '../../platform/storage/read-kept-answers.ts';
import { Button } from '../../ui/button.tsx';
import { CheckBox } from '../../ui/form/check-box.tsx';
import { SearchField } from '../../ui/form/search-field.tsx';
import { lazyScreen } from '../../ui/lazy-screen.tsx';
import { Failure, Notice } from '../../ui/notice.tsx';
import { Notes } from '../../ui/wordmark.tsx';
import { WorkInHand } from '../../ui/work-in-hand.tsx';
import { CalendarStrip } from './calendar-strip.tsx';
import styles from './history.module.css';
import { countFilters, isNarrowed, useLookedFor, wantedOf } from './history-filter.ts';
import { TownField } from './narrowing.tsx';
import { focusRow } from './open-undo-notice.tsx';
import { FailedList, PredictionDays } from './rows.tsx';

/** Loaded only if something is waiting. */
const OutboxList = lazyScreen('OutboxList', () => import('../outbox/outbox-list.tsx'));

/** On narrower screens, the filters would push the results off the first screen. */
const WIDE_REM = 40;

/** Predictions, newest first, page by page. The previous ones stay while other filters load. */
function useHistory(wanted: PredictionFilter) {
  const { openHttp, localId } = useAccountApi();
  return useInfiniteQuery({
    queryKey: storedPredictionsKey(localId, 'list', JSON.stringify(wanted)),
    queryFn: async ({ pageParam, signal }) => readPredictions(await openHttp(), wanted, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
    placeholderData: (earlier, earlierQuery) => (earlierQuery?.queryKey[1] === localId ? earlier : undefined),
  });
}

/** The predictions stored in this tab, while the server is out of reach; otherwise null. @param failure of the last request */
function useKeptAnswers(search: string, failure: unknown): readonly PredictionSummary[] | null {
  const isOnline = useIsOnline();
  const { localId } = useAuthSnapshot().state;
  const isAway = localId !== null && (!isOnline || (failure !== null && isOutOfReach(failure)));
  return useMemo(() => (isAway ? (listKeptAnswers(localId, search)?.predictions ?? []) : null), [isAway, localId, search]);
}

/** `/history`: the account's predictions, newest first, and its recordings in progress. */
export function HistoryScreen() {
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  const { lookedFor, onSearch, onDay, onTown, onConfirmed, onAll } = useLookedFor();
  const { search, species, on, near, isConfirmed } = lookedFor;
  const isLookingFor = isNarrowed(lookedFor);
  const namesIn = useNamesLanguage();
  const history = useHistory(wantedOf(lookedFor, namesIn));
  const { data: work } = useWorkInHand();
  const remove = useDeletion();
  const save = useCall(exportAddress, { onSuccess: (address) => saveFrom(address) });
  const kept = useKeptAnswers([species, search].filter(Boolean).join(' '), history.error);
  const isAway = kept !== null;
  const isWide = useIsWide(WIDE_REM);
  const title = useRef<HTMLHeadingElement>(null);
  const isOutboxFilled = useStore(outboxCount) > 0;
  // Once shown it stays, to report what happened to the last item.
  const [hasOutbox, setHasOutbox] = useState(isOutboxFilled);
  if (isOutboxFilled && !hasOutbox) setHasOutbox(true);
  const predictions = kept ?? history.data?.pages.flatMap((page) => page.predictions) ?? [];
  const onlyName = predictions.flatMap((one) => one.species).find((bird) => bird.scientificName === species)?.commonName;

  const lastEnded = work?.ended[0]?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an answer that has come belongs into the list
  useEffect(() => {
    if (lastEnded !== undefined) void refreshStoredPredictions(queries);
  }, [lastEnded]);

  async function showMore(): Promise<void> {
    const { data, hasNextPage, isError } = await history.fetchNextPage();
    if (isError || hasNextPage) return;
    // The button disappears, so the focus has to move.
    focusRow(data?.pages.flatMap((page) => page.predictions)[predictions.length]?.id ?? null);
  }

  const showAll = () => {
    onAll();
    // The button disappears.
    title.current?.focus({ preventScroll: true });
  };

  const isEmpty = predictions.length === 0 && (isAway || history.data !== undefined);
  const hasAnswers = predictions.length > 0 || isLookingFor || history.isPlaceholderData;
  const failed = !isAway && work && <FailedList failed={work.failed} onDismiss={(id) => remove.mutate(id)} />;
  const town = !isAway && <TownField value={near} onChoose={onTown} />;
  const filters = !isAway && (
    <>
      <CheckBox name="confirmed" checked={isConfirmed} onChange={onConfirmed}>
        {t('history.onlyConfirmed')}
      </CheckBox>
      <CalendarStrip chosen={on} onChoose={onDay} />
    </>
  );
  return (
    <div className="stack gap-large">
      <title>{t('title.history')}</title>
      <header className="cluster">
        <h1>{t('history.title')}</h1>
        <Link to="/life-list">{t('layout.lifeList')}</Link>
      </header>
      <Failure sentence={remove.failure ?? save.failure} />
      {hasOutbox && <OutboxList isSignedIn />}
      {!isAway && work && <WorkInHand inWork={work.inWork} ended={[]} />}
      {(isAway || history.error) && (
        <Notice
          tone={isAway ? 'information' : 'warning'}
          title={history.error ? errorSentence(toApiError(history.error), t, i18n.language) : t('failure.network')}
          announce
          onRetry={() => void history.refetch()}
        >
          {isAway && !isLookingFor && <p>{t('history.kept', { count: predictions.length })}</p>}
        </Notice>
      )}
      {isEmpty && !hasAnswers && !isAway && (
        <div className="stack measure start">
          <Notes className={styles.picture} />
          <p>{t('history.empty')}</p>
          <Link to="/process" className="button">
            {t('layout.detect')}
          </Link>
        </div>
      )}
      {!hasAnswers && failed}
      {hasAnswers && (
        <div className={`stack ${styles.answers}`}>
          <div className={styles.narrowing}>
            <SearchField
              label={t('history.search')}
              placeholder={t('history.searchExample')}
              value={search}
              className={styles.search}
              onSearch={onSearch}
            />
            {isWide && town}
          </div>
          {isWide
            ? filters
            : !isAway && (
                <details className={styles.folded}>
                  <summary>{t('history.filters', { count: countFilters(lookedFor) })}</summary>
                  {town}
                  {filters}
                </details>
              )}
          <section className={`stack ${styles.answers}`} aria-labelledby="answers-title">
            <h2 id="answers-title" ref={title} tabIndex={-1} className="visually-hidden">
              {t('history.answersTitle')}
            </h2>
            {isLookingFor && (
              <p className={`cluster ${styles.only}`}>
                {species !== null && (
                  <>
                    {t('history.only')} {onlyName === undefined ? <i lang="la">{species}</i> : <strong>{onlyName}</strong>}
                  </>
                )}
                <Button onClick={showAll}>{t('history.showAll')}</Button>
              </p>
            )}
            <p role="status" className={isEmpty ? undefined : 'visually-hidden'}>
              {isEmpty
                ? t('history.nothingFound')
                : isLookingFor && !history.isPlaceholderData && t('history.found', { count: predictions.length })}
            </p>
            <div aria-busy={history.isFetching}>
              <PredictionDays predictions={predictions} namesIn={namesIn} onDelete={isAway ? null : (id) => remove.mutate(id)} />
            </div>
            {history.hasNextPage && !isAway && (
              <Button isDisabled={history.isFetchingNextPage} onClick={() => void showMore()}>
                {t('history.more')}
              </Button>
            )}
          </section>
          {failed}
          {!isAway && (
            <Button icon={IconDownload} isDisabled={save.isPending} onClick={() => save.mutate()}>
              {t('history.exportAll')}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

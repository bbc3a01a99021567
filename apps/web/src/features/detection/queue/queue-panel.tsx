import { type NamedBird, namedBirds } from '@chiffchaff/contract';
import { IconDownload, IconX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { Fragment, memo, useCallback, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { withLaterTexts } from '../../../languages/i18n.ts';
import type { ApiError } from '../../../platform/api/api-error.ts';
import { errorSentence } from '../../../platform/api/error-sentence.ts';
import { useOpenHttp } from '../../../platform/api/open-http.ts';
import { type PageConfig, usePublicConfig } from '../../../platform/api/public-config.ts';
import { saveFile } from '../../../platform/browser/save-file.ts';
import { timeLabel } from '../../../platform/format/format.ts';
import { analysisInWords, percentInWords } from '../../../platform/format/progress-words.ts';
import { languageTag } from '../../../platform/format/species-language.ts';
import { useWords } from '../../../platform/format/words.ts';
import { useAuthSnapshot } from '../../../platform/session/session-context.tsx';
import { lazyScreen } from '../../../ui/lazy-screen.tsx';
import { firstHeardSeconds } from '../answer/passages.ts';
import { verdictSentence } from '../answer/wording.ts';
import type { PredictionState } from '../prediction-state.ts';
import type { QueueEntry, QueueSnapshot } from './prediction-queue.ts';
import styles from './queue.module.css';

function stateInWords(state: PredictionState, t: TFunction, language: string, limits: PageConfig['limits'] | null): string {
  switch (state.kind) {
    case 'idle':
      return t('queue.waiting');
    case 'uploading':
      return t('progress.uploading', { percent: percentInWords(state.progress, language) });
    case 'listening':
      return analysisInWords(state.report, t, language);
    case 'done':
      return verdictSentence(state.result, t, language);
    case 'failed':
      return errorSentence(state.error, t, language, limits);
  }
}

/** Loaded when there are predictions to sum up. */
const SpeciesTable = lazyScreen('species', async () => (await withLaterTexts(import('./species-table.tsx'))).SpeciesTable);

interface RowProperties {
  readonly entry: QueueEntry;
  readonly isShown: boolean;
  /** null shows the form for choosing more recordings. */
  readonly onShow: (id: string | null) => void;
  readonly onRemove: (id: string) => void;
}

/** A recording and the birds that its prediction names, one per line. Memoised, since hundreds may wait while one makes progress. */
const Rows = memo(({ entry, isShown, onShow, onRemove }: RowProperties) => {
  const { t, i18n } = useTranslation();
  const words = useWords();
  const { data: config } = usePublicConfig();
  const { id, request, state } = entry;
  const birds = state.kind === 'done' ? namedBirds(state.result) : [];
  const namesIn = state.kind === 'done' ? languageTag(state.result.conditions.language) : undefined;
  const firstOf = (bird: NamedBird) => (state.kind === 'done' ? firstHeardSeconds(bird, state.result) : bird.firstSeconds);
  const [first, ...others] = birds.map((bird) => (
    <Fragment key={bird.scientificName}>
      <td className={styles.bird}>
        <span lang={namesIn}>{bird.commonName}</span> <span className={styles.words}>{words.describe(bird)}</span>
      </td>
      <td className={styles.first}>{timeLabel(firstOf(bird))}</td>
    </Fragment>
  ));
  const span = Math.max(1, birds.length);
  return (
    <tbody data-state={state.kind} data-shown={isShown}>
      <tr>
        <th scope="row" rowSpan={span}>
          <button type="button" className={styles.open} aria-current={isShown ? 'true' : undefined} onClick={() => onShow(id)}>
            <bdi className={styles.name}>{request.file.name}</bdi>
          </button>
        </th>
        {first ?? (
          <td colSpan={2} className={`${styles.state} ${styles.words}`}>
            {stateInWords(state, t, i18n.language, config?.limits ?? null)}
          </td>
        )}
        <td rowSpan={span} className={styles.end}>
          <button
            type="button"
            className={styles.remove}
            aria-label={t('queue.remove', { name: request.file.name })}
            title={t('queue.remove', { name: request.file.name })}
            onClick={() => onRemove(id)}
          >
            <IconX aria-hidden="true" />
          </button>
        </td>
      </tr>
      {others.map((cells) => (
        <tr key={cells.key}>{cells}</tr>
      ))}
    </tbody>
  );
});

interface Properties extends Pick<RowProperties, 'onShow' | 'onRemove'> {
  readonly queue: QueueSnapshot;
  readonly onClear: () => void;
  /** Sends recordings again whose predictions no account has; null while none is signed in. */
  readonly onKeep: ((ids: readonly string[]) => void) | null;
}

/** All recordings of this visit, and what was heard in them. */
export function QueuePanel({ queue, onShow, onRemove, onClear, onKeep }: Properties) {
  const { t, i18n } = useTranslation();
  const title = useRef<HTMLHeadingElement>(null);
  const latestRemove = useRef(onRemove);
  latestRemove.current = onRemove;
  const remove = useCallback((id: string) => {
    latestRemove.current(id);
    title.current?.focus({ preventScroll: true });
  }, []);
  const answered = queue.entries.filter(({ state }) => state.kind === 'done').length;
  const failed = queue.entries.filter(({ state }) => state.kind === 'failed').length;
  const unkept = queue.entries
    .filter(({ state, isKept, isAudioMissing, isPutAside }) => state.kind === 'done' && !isKept && !isAudioMissing && !isPutAside)
    .map(({ id }) => id);
  const total = queue.entries.length;
  const openHttp = useOpenHttp();
  const queries = useQueryClient();
  const { localId } = useAuthSnapshot().state;
  const [error, setError] = useState<ApiError | null>(null);
  const save = async () => {
    setError(null);
    try {
      const [{ csvTable }, { readAnswers }] = await Promise.all([import('@chiffchaff/contract'), import('./read-answers.ts')]);
      const answers = await readAnswers(queue.entries, { openHttp, queries, localId });
      // People open these files themselves, often in a spreadsheet.
      saveFile('chiffchaff.csv', csvTable(answers, { excelSafe: true }));
    } catch (failure) {
      setError((await import('../../../platform/api/api-error.ts')).toApiError(failure));
    }
  };
  return (
    <section className={styles.queue} aria-labelledby="queue-title">
      <div className={styles.head}>
        <h2 id="queue-title" ref={title} tabIndex={-1}>
          {t('queue.title', { count: total })}
        </h2>
        <p role="status" className={styles.summary}>
          {t('queue.summary', { answered, total })}
          {failed > 0 && ` ${t('queue.failed', { count: failed })}`}
        </p>
      </div>
      <div className={styles.rows}>
        <table className={styles.table} aria-labelledby="queue-title">
          <thead>
            <tr>
              <th scope="col">{t('queue.recording')}</th>
              <th scope="col">{t('table.bird')}</th>
              <th scope="col" className={styles.first}>
                {t('queue.first')}
              </th>
              <td />
            </tr>
          </thead>
          {queue.entries.map((entry) => (
            <Rows key={entry.id} entry={entry} isShown={queue.shown?.id === entry.id} onShow={onShow} onRemove={remove} />
          ))}
        </table>
      </div>
      {answered > 1 && <SpeciesTable entries={queue.entries} onShow={onShow} />}
      <div className={styles.actions}>
        {answered > 0 && (
          <button type="button" className="text-button" onClick={() => void save()}>
            <IconDownload aria-hidden="true" />
            {t('queue.download')}
          </button>
        )}
        {onKeep && unkept.length > 0 && (
          <button type="button" className="text-button" onClick={() => onKeep(unkept)}>
            {t('queue.keep')}
          </button>
        )}
        {queue.shown && (
          <button type="button" className="text-button" onClick={() => onShow(null)}>
            {t('queue.more')}
          </button>
        )}
        <button type="button" className="text-button" onClick={onClear}>
          {t('queue.clear')}
        </button>
      </div>
      {error && <p role="alert">{errorSentence(error, t, i18n.language)}</p>}
    </section>
  );
}

import { IconX } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { errorSentence } from '../../../platform/api/error-sentence.ts';
import { type PageConfig, usePublicConfig } from '../../../platform/api/public-config.ts';
import { listeningInWords, percentInWords } from '../../../platform/format/progress-words.ts';
import { verdictSentence } from '../answer/wording.ts';
import type { PredictionState } from '../prediction-state.ts';
import type { QueueEntry, QueueSnapshot } from './prediction-queue.ts';
import styles from './queue.module.css';

interface Properties {
  readonly queue: QueueSnapshot;
  /** null asks for choosing further recordings. */
  readonly onShow: (id: string | null) => void;
  readonly onRemove: (id: string) => void;
  readonly onClear: () => void;
}

function stateInWords(state: PredictionState, t: TFunction, language: string, limits: PageConfig['limits'] | null): string {
  switch (state.kind) {
    case 'idle':
      return t('queue.waiting');
    case 'uploading':
      return t('progress.uploading', { percent: percentInWords(state.progress, language) });
    case 'listening':
      return listeningInWords(state.report, t, language);
    case 'done':
      return verdictSentence(state.result, t, language);
    case 'failed':
      return errorSentence(state.error, t, language, limits);
  }
}

function Row({ entry, isShown, onShow, onRemove }: { readonly entry: QueueEntry; readonly isShown: boolean } & Properties) {
  const { t, i18n } = useTranslation();
  const { data: config } = usePublicConfig();
  const { id, request, state } = entry;
  return (
    <li className={styles.row} data-state={state.kind}>
      <button type="button" className={styles.open} aria-current={isShown ? 'true' : undefined} onClick={() => onShow(id)}>
        <bdi className={styles.name}>{request.file.name}</bdi>
        <span className={styles.words}>{stateInWords(state, t, i18n.language, config?.limits ?? null)}</span>
      </button>
      <button
        type="button"
        className={styles.remove}
        aria-label={t('queue.remove', { name: request.file.name })}
        onClick={() => onRemove(id)}
      >
        <IconX aria-hidden="true" />
      </button>
    </li>
  );
}

export function QueuePanel(properties: Properties) {
  const { queue, onShow, onRemove, onClear } = properties;
  const { t } = useTranslation();
  const title = useRef<HTMLHeadingElement>(null);
  const count = (kind: PredictionState['kind']) => queue.entries.filter(({ state }) => state.kind === kind).length;
  const [answered, failed, total] = [count('done'), count('failed'), queue.entries.length];
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
      <ol className={styles.rows}>
        {queue.entries.map((entry) => (
          <Row
            key={entry.id}
            {...properties}
            entry={entry}
            isShown={queue.shown?.id === entry.id}
            onRemove={(id) => {
              onRemove(id);
              title.current?.focus({ preventScroll: true });
            }}
          />
        ))}
      </ol>
      <div className={styles.actions}>
        {queue.shown && (
          <button type="button" className="text-button" onClick={() => onShow(null)}>
            {t('queue.more')}
          </button>
        )}
        <button type="button" className="text-button" onClick={onClear}>
          {t('queue.clear')}
        </button>
      </div>
    </section>
  );
}

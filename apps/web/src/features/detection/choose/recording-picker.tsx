import type { PublicConfig } from '@chiffchaff/contract';
import { IconFileMusic, IconFolder, IconPlus, IconUpload, IconX } from '@tabler/icons-react';
import { type ChangeEvent, memo, useCallback, useEffect, useId, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useTranslation } from '../../../languages/i18n.ts';
import { dateLocale, formatBytes, formatDuration, lengthLabel, timeLabel } from '../../../platform/format/format.ts';
import { type ShareOutcome, takeShared } from '../../../platform/storage/shared-recordings.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import styles from './choose.module.css';
import { type ChosenRecording, looksUnlikeSound, usePastedOrDroppedFiles } from './use-chosen-recordings.ts';

/** Whether a file in a folder is worth sending: people do not choose its files one by one. */
const isAccepted = ({ name, type }: File, accepted: readonly string[]): boolean =>
  accepted.some((format) => {
    if (format.startsWith('.')) return name.toLowerCase().endsWith(format);
    return format.endsWith('/*') ? type.startsWith(format.slice(0, -1)) : type === format;
  });

interface ChosenRowProperties {
  readonly file: File;
  readonly fault: string | null;
  /** Details besides its name. */
  readonly facts: string;
  readonly onRemove: (file: File) => void;
}

const ChosenRow = memo(({ file, fault, facts, onRemove }: ChosenRowProperties) => {
  const { t } = useTranslation();
  return (
    <li className="line apart strong">
      <p>
        <bdi className="file-name">{file.name}</bdi> <span className="soft">{facts}</span>{' '}
        {(fault !== null || looksUnlikeSound(file)) && (
          <span className="fault" role="alert">
            {fault ?? t('choose.notSound')}
          </span>
        )}
      </p>
      <IconButton label={t('choose.remove', { name: file.name })} icon={IconX} onClick={() => onRemove(file)} />
    </li>
  );
});

interface Properties {
  readonly chosen: readonly ChosenRecording[];
  readonly faultOf: (file: File) => string | null;
  readonly limits: PublicConfig['limits'];
  /** A hint for the file dialog, and a filter for folders: the server checks the content, never the name. */
  readonly accepted: readonly string[];
  readonly onAdd: (files: readonly File[]) => void;
  readonly onRemove: (file: File) => void;
}

/** Lets people choose recordings by button, by dropping them anywhere on the screen, or by pasting. */
export function RecordingPicker({ chosen, faultOf, limits, accepted, onAdd, onRemove }: Properties) {
  const { t, i18n } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const hintId = useId();
  const dragged = usePastedOrDroppedFiles(onAdd);
  const hasFolders = 'webkitdirectory' in HTMLInputElement.prototype;
  const size = (bytes: number) => formatBytes(bytes, i18n.language);

  const [leftOut, setLeftOut] = useState(0);
  const take = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const files = [...(target.files ?? [])];
    target.value = ''; // allows choosing the same file again
    const recordings = target === folderInput.current ? files.filter((file) => isAccepted(file, accepted)) : files;
    setLeftOut(files.length - recordings.length);
    onAdd(recordings);
  };
  const latestRemove = useRef(onRemove);
  latestRemove.current = onRemove;
  const remove = useCallback((file: File) => {
    latestRemove.current(file);
    button.current?.focus();
  }, []);
  const dates = new Set(chosen.map(({ metadata }) => metadata?.date?.value));
  const day = new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'medium', timeZone: 'UTC' });
  const factsOf = ({ file, metadata, durationSeconds }: ChosenRecording): string => {
    const date = metadata?.date?.value;
    const facts = [
      size(file.size),
      durationSeconds !== null && timeLabel(durationSeconds),
      // If all are from the same day, the form shows it.
      dates.size > 1 && date !== undefined && day.format(new Date(date)),
    ];
    return facts.filter((fact) => fact !== false).join(' · ');
  };
  const total = chosen.reduce((sum, { file }) => sum + file.size, 0);
  const seconds = chosen.reduce((sum, { durationSeconds }) => sum + (durationSeconds ?? 0), 0);
  const isWhole = chosen.every(({ durationSeconds }) => durationSeconds !== null);
  const [only] = chosen;
  const said =
    chosen.length === 1 && only
      ? t('choose.chosen', { name: only.file.name, size: size(only.file.size) })
      : `${t('choose.total', { count: chosen.length })}, ${size(total)}`;
  const length = lengthLabel(seconds);
  const sum = [
    t('choose.total', { count: chosen.length }),
    seconds > 0 && (isWhole ? length : t('choose.atLeast', { length })),
    size(total),
  ];

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a drop zone in every browser
    <div
      className={styles.zone}
      role="group"
      aria-label={t('choose.recording')}
      data-dragged={dragged}
      data-chosen={chosen.length > 0}
    >
      {chosen.length > 0 ? (
        <IconFileMusic className={styles.zoneIcon} aria-hidden="true" />
      ) : (
        <IconUpload className={styles.zoneIcon} aria-hidden="true" />
      )}
      <div className={`stack ${styles.zoneBody}`}>
        {chosen.length > 1 && <p className="strong">{sum.filter((part) => part !== false).join(', ')}</p>}
        {chosen.length > 0 && (
          <ul className={`stack ${styles.chosenList}`} aria-label={t('choose.chosenList')}>
            {chosen.map((one) => (
              <ChosenRow
                key={`${one.file.name} ${one.file.size} ${one.file.lastModified}`}
                file={one.file}
                fault={faultOf(one.file)}
                facts={factsOf(one)}
                onRemove={remove}
              />
            ))}
          </ul>
        )}
        <div className="cluster">
          <Button
            ref={button}
            look={chosen.length > 0 ? 'secondary' : 'main'}
            aria-describedby={hintId}
            onClick={() => input.current?.click()}
          >
            {chosen.length > 0 && <IconPlus aria-hidden="true" />}
            {t(chosen.length > 0 ? 'choose.more' : 'choose.button')}
          </Button>
          {hasFolders && (
            <Button icon={IconFolder} className={styles.folder} onClick={() => folderInput.current?.click()}>
              {t('choose.folder')}
            </Button>
          )}
          <span className={`soft ${styles.drop}`}>{t(dragged ? 'choose.dropNow' : 'choose.drop')}</span>
        </div>
        <p role="status">{leftOut > 0 && t('choose.leftOut', { count: leftOut })}</p>
        <p id={hintId} className={`soft small ${styles.help}`} data-chosen={chosen.length > 0}>
          {t('choose.limits', {
            min: formatDuration(limits.minRecordingSeconds, i18n.language),
            max: formatDuration(limits.maxRecordingSeconds, i18n.language),
            size: size(limits.maxUploadBytes),
          })}
        </p>
      </div>
      <p className="visually-hidden" role="status">
        {chosen.length > 0 ? said : ''}
      </p>
      <input
        ref={input}
        type="file"
        multiple
        accept={accepted.join(',')}
        aria-label={t('choose.recording')}
        tabIndex={-1}
        className={styles.input}
        onChange={take}
      />
      {hasFolders && (
        <input
          ref={(input) => {
            folderInput.current = input;
            input?.setAttribute('webkitdirectory', '');
          }}
          type="file"
          aria-label={t('choose.folder')}
          tabIndex={-1}
          className={styles.input}
          onChange={take}
        />
      )}
    </div>
  );
}

/** Adds recordings that another app has shared with the installed page. */
export function useSharedRecordings(onFiles: (files: readonly File[]) => void): void {
  useEffect(() => {
    takeShared()
      .then((files) => files.length > 0 && onFiles(files))
      .catch(() => {}); // a browser that refuses storage has stored none
  }, [onFiles]);
}

const withoutRecordings = ['empty', 'failed', 'unavailable'] as const satisfies readonly ShareOutcome[];

/** Explains why nothing that another app shared is among the chosen recordings. */
export function SharedNotice() {
  const { t } = useTranslation();
  const [parameters] = useSearchParams();
  const outcome = withoutRecordings.find((one) => one === parameters.get('shared'));
  // Otherwise no element at all: an empty one would add a gap to the form.
  return outcome ? <Notice tone="information" title={t(`choose.shared.${outcome}`)} /> : null;
}

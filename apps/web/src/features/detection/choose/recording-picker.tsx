import { IconFileMusic, IconUpload } from '@tabler/icons-react';
import { type ChangeEvent, type DragEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatBytes, formatDuration } from '../../../platform/format.ts';
import type { PageConfig } from '../../../platform/public-config.ts';
import styles from './choose.module.css';

interface Properties {
  readonly file: File | null;
  readonly fault: string | null;
  readonly limits: PageConfig['limits'];
  /** A hint for the file dialog only: the server looks at the content, never at the name. */
  readonly accepted: readonly string[];
  readonly onChoose: (file: File) => void;
}

/** By button, by dropping it anywhere in the zone, or by pasting. */
export function RecordingPicker({ file, fault, limits, accepted, onChoose }: Properties) {
  const { t, i18n } = useTranslation();
  const [dragged, setDragged] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const hintId = useId();
  const faultId = useId();

  const latestChoose = useRef(onChoose);
  latestChoose.current = onChoose;
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const pasted = event.clipboardData?.files[0];
      if (!pasted) return; // text goes where text goes
      event.preventDefault();
      latestChoose.current(pasted);
    };
    window.addEventListener('paste', paste);
    return () => window.removeEventListener('paste', paste);
  }, []);

  const take = (event: ChangeEvent<HTMLInputElement>) => {
    const chosen = event.target.files?.[0];
    event.target.value = ''; // the same file can be chosen again
    if (chosen) onChoose(chosen);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setDragged(false);
    const dropped = event.dataTransfer.files[0];
    if (dropped) onChoose(dropped);
  };
  const leave = (event: DragEvent<HTMLElement>) => {
    // Moving over a child leaves the zone for an instant only.
    if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget))) setDragged(false);
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a drop zone in every browser
    <div
      className={styles.zone}
      role="group"
      aria-label={t('choose.recording')}
      data-dragged={dragged}
      data-chosen={file !== null}
      onDragOver={(event) => {
        event.preventDefault();
        setDragged(true);
      }}
      onDragLeave={leave}
      onDrop={drop}
    >
      {file ? (
        <IconFileMusic className={styles.zoneIcon} aria-hidden="true" />
      ) : (
        <IconUpload className={styles.zoneIcon} aria-hidden="true" />
      )}
      <div className={styles.zoneBody}>
        {file && (
          <p className={styles.chosen}>
            <span>{file.name}</span> <span className={styles.size}>{formatBytes(file.size, i18n.language)}</span>
          </p>
        )}
        <div className={styles.zoneActions}>
          <button
            type="button"
            className={file ? 'button button-quiet' : 'button'}
            aria-describedby={fault === null ? hintId : `${faultId} ${hintId}`}
            onClick={() => input.current?.click()}
          >
            {t(file ? 'choose.another' : 'choose.button')}
          </button>
          <span className={styles.drop}>{t(dragged ? 'choose.dropNow' : 'choose.drop')}</span>
        </div>
        {fault !== null && (
          <p id={faultId} className={styles.fault} role="alert">
            {fault}
          </p>
        )}
        <p id={hintId} className={styles.help}>
          {t('choose.limits', {
            min: formatDuration(limits.minRecordingSeconds, i18n.language),
            max: formatDuration(limits.maxRecordingSeconds, i18n.language),
            size: formatBytes(limits.maxUploadBytes, i18n.language),
          })}
        </p>
      </div>
      <p className="visually-hidden" role="status">
        {file ? t('choose.chosen', { name: file.name, size: formatBytes(file.size, i18n.language) }) : ''}
      </p>
      <input
        ref={input}
        type="file"
        accept={accepted.join(',')}
        aria-label={t('choose.recording')}
        tabIndex={-1}
        className={styles.input}
        onChange={take}
      />
    </div>
  );
}

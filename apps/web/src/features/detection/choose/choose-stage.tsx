import { IconEar } from '@tabler/icons-react';
import type { AxiosInstance } from 'axios';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatBytes } from '../../../platform/format.ts';
import { usePreferences } from '../../../platform/preferences.ts';
import type { PageConfig } from '../../../platform/public-config.ts';
import type { PredictionRequest } from '../request-prediction.ts';
import { StageHeading } from '../stage-heading.tsx';
import styles from './choose.module.css';
import { type ConditionsDraft, checkConditions, draftOf, placeOf } from './conditions-draft.ts';
import { ConditionsFields } from './conditions-fields.tsx';
import { dateFromFileName } from './recording-metadata/date-from-file-name.ts';
import { RecordingPicker } from './recording-picker.tsx';
import { serverLanguage } from './species-language.ts';

interface Properties {
  readonly config: PageConfig;
  readonly http: AxiosInstance;
  /** What was asked before and cancelled or refused: the form begins with it. */
  readonly earlier: PredictionRequest | null;
  readonly onSubmit: (request: PredictionRequest) => void;
}

/** The first stage: a recording, and what is known of its place and date. */
export function ChooseStage({ config, http, earlier, onSubmit }: Properties) {
  const { t, i18n } = useTranslation();
  const { speciesLanguage } = usePreferences();
  const [file, setFile] = useState<File | null>(earlier?.file ?? null);
  const [draft, setDraft] = useState<ConditionsDraft>(() => draftOf(earlier));
  const [submitted, setSubmitted] = useState(false);
  const faults = checkConditions(draft);
  const { maxUploadBytes } = config.limits;

  const sizeFault = (chosen: File): string | null => {
    if (chosen.size === 0) return t('problem.RECORDING_EMPTY');
    if (chosen.size <= maxUploadBytes) return null;
    const size = (bytes: number) => formatBytes(bytes, i18n.language);
    return t('choose.tooLarge', { found: size(chosen.size), most: size(maxUploadBytes) });
  };
  const fileFault = file ? sizeFault(file) : submitted ? t('choose.missing') : null;

  const choose = (chosen: File) => {
    setFile(chosen);
    const date = dateFromFileName(chosen.name);
    // A date that the last file's name gave does not stay for the next file; one that was typed does.
    if (date !== null) setDraft({ ...draft, date, dateFromName: true });
    else if (draft.dateFromName) setDraft({ ...draft, date: '', dateFromName: false });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (!file || sizeFault(file) !== null || faults.latitude || faults.longitude) return;
    onSubmit({
      file,
      place: placeOf(draft),
      date: draft.date === '' ? null : draft.date,
      language: serverLanguage(speciesLanguage ?? i18n.language, config.languages),
    });
  };

  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <StageHeading>{t('choose.title')}</StageHeading>
      <RecordingPicker file={file} fault={fileFault} limits={config.limits} accepted={config.acceptedFormats} onChoose={choose} />
      <ConditionsFields
        draft={draft}
        faults={submitted ? faults : {}}
        languages={config.languages}
        http={http}
        onChange={(part) => setDraft((present) => ({ ...present, ...part }))}
      />
      <div className={styles.submit}>
        <button type="submit" className="button">
          <IconEar aria-hidden="true" />
          {t('choose.submit')}
        </button>
        <p className={styles.sentTo}>{t('choose.sentTo')}</p>
      </div>
    </form>
  );
}

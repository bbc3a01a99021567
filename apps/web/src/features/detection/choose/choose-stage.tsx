import type { KeepAudio } from '@chiffchaff/contract';
import { IconEar } from '@tabler/icons-react';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useOpenHttp } from '../../../platform/api/open-http.ts';
import type { PageConfig } from '../../../platform/api/public-config.ts';
import { useKeepAudioSetting } from '../../../platform/api/use-keep-audio-setting.ts';
import { useIsOnline } from '../../../platform/browser/connection.ts';
import { formatBytes, formatList } from '../../../platform/format/format.ts';
import { serverLanguage } from '../../../platform/format/species-language.ts';
import { useAuthSnapshot } from '../../../platform/session/session-context.tsx';
import { preferences, usePreferences } from '../../../platform/storage/preferences.ts';
import { CheckBox } from '../../../ui/form/check-box.tsx';
import { KeepAudioChoice } from '../../../ui/keep-audio/keep-audio-choice.tsx';
import type { PredictionRequest } from '../sending/request-prediction.ts';
import { StageHeading } from '../stage-heading.tsx';
import { useVisitPlaces } from '../visit-places.ts';
import styles from './choose.module.css';
import {
  type ConditionsDraft,
  checkConditions,
  conditionsFor,
  draftFor,
  draftOf,
  hasFault,
  type Proposals,
  placeOf,
  proposalsOf,
  withProposals,
} from './conditions-draft.ts';
import { ConditionsFields, useFocusOnFault } from './conditions-fields.tsx';
import { RecordingPicker } from './recording-picker.tsx';
import { type ChosenRecording, useChosenRecordings } from './use-chosen-recordings.ts';

interface ListeningCopyFieldProperties {
  readonly chosen: readonly ChosenRecording[];
  readonly isOffered: boolean;
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
}

/** Says which recordings this browser cannot show by itself, before they are sent, and offers to keep these for half an hour. */
function ListeningCopyField({ chosen, isOffered, value, onChange }: ListeningCopyFieldProperties) {
  const { t, i18n } = useTranslation();
  const hindered = (['undecodable', 'tooLong'] as const).flatMap((kind) => {
    const names = chosen.filter(({ hindrance }) => hindrance === kind).map(({ file }) => file.name);
    return names.length === 0 ? [] : [{ kind, names: formatList(names, i18n.language) }];
  });
  return (
    <div className={styles.listeningCopy}>
      <div role="status">
        {hindered.map(({ kind, names }) => (
          <p key={kind}>{t(`keep.${kind}`, { names })}</p>
        ))}
        {hindered.length > 0 && !isOffered && <p>{t('keep.copyNeedsAccount')}</p>}
      </div>
      {hindered.length > 0 && isOffered && (
        <CheckBox name="listeningCopy" checked={value} onChange={onChange} help={t('keep.copyHelp')}>
          {t('keep.copy')}
        </CheckBox>
      )}
    </div>
  );
}

interface Properties {
  readonly config: PageConfig;
  /** What was asked before and cancelled or refused: the form begins with it. */
  readonly earlier: PredictionRequest | null;
  readonly onSubmit: (requests: readonly PredictionRequest[]) => void;
}

function useProposalNotes(draft: ConditionsDraft, { date, place }: Proposals) {
  const { t } = useTranslation();
  const dateNote =
    draft.isDateOwn || date.kind === 'none'
      ? null
      : date.kind === 'different'
        ? t('choose.datesDiffer')
        : t(date.value.from === 'name' ? 'choose.dateFromName' : 'choose.dateFromFile');
  const placeNote =
    draft.isPlaceOwn || place.kind === 'none' ? null : t(place.kind === 'same' ? 'choose.placeFromFile' : 'choose.placesDiffer');
  return { dateNote, placeNote };
}

export function ChooseStage({ config, earlier, onSubmit }: Properties) {
  const { t, i18n } = useTranslation();
  const { speciesLanguage } = usePreferences();
  const { state: account } = useAuthSnapshot();
  const openHttp = useOpenHttp();
  const places = useVisitPlaces();
  const { chosen, add, remove, read } = useChosenRecordings(earlier?.file ?? null);
  const [typed, setTyped] = useState<ConditionsDraft>(() =>
    earlier
      ? draftOf(earlier, places.nameOf(earlier.place), i18n.language)
      : draftFor(places.last, places.nameOf(places.last), i18n.language),
  );
  const isSignedIn = account.token !== null;
  const { setting } = useKeepAudioSetting(isSignedIn);
  const [ownKeepAudio, setKeepAudio] = useState<KeepAudio | null>(earlier?.keepAudio ?? null);
  const [listeningCopy, setListeningCopy] = useState(earlier?.listeningCopy ?? false);
  // What is shown is sent: the account's setting may be changed elsewhere before the answer.
  const keepAudio = isSignedIn ? (ownKeepAudio ?? setting.data ?? null) : null;
  const isCopyOffered = isSignedIn && keepAudio !== 'recording';
  const [submitted, setSubmitted] = useState(false);
  const [refusals, setRefusals] = useState(0);
  const conditions = useFocusOnFault<HTMLFieldSetElement>(refusals);
  const helpId = useId();
  const { maxUploadBytes } = config.limits;
  const isOnline = useIsOnline();
  const offlineId = useId();
  const proposals = proposalsOf(chosen.map(({ metadata }) => metadata ?? { date: null, place: null }));
  const draft = withProposals(typed, proposals, i18n.language);
  const faults = checkConditions(draft);
  const notes = useProposalNotes(typed, proposals);

  const faultOf = (file: File): string | null => {
    if (file.size === 0) return t('problem.RECORDING_EMPTY');
    if (file.size <= maxUploadBytes) return null;
    const size = (bytes: number) => formatBytes(bytes, i18n.language);
    return t('choose.tooLarge', { found: size(file.size), most: size(maxUploadBytes) });
  };
  const sendable = chosen.filter(({ file }) => faultOf(file) === null);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (!isOnline || sendable.length === 0) return;
    if (hasFault(faults)) {
      setRefusals((before) => before + 1);
      return;
    }
    if (draft.isPlaceOwn) places.remember(placeOf(draft), draft.isPlaceNamed ? draft.placeName : '');
    const language = serverLanguage(speciesLanguage ?? i18n.language, config.languages);
    onSubmit(
      await Promise.all(
        sendable.map(async ({ file, metadata, hindrance }) => ({
          file,
          ...conditionsFor(draft, metadata ?? (await read(file))),
          language,
          keepAudio,
          listeningCopy: listeningCopy && isCopyOffered && hindrance !== null,
        })),
      ),
    );
  };

  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
      <StageHeading>{t('choose.title')}</StageHeading>
      <RecordingPicker
        chosen={chosen}
        faultOf={faultOf}
        missing={submitted && chosen.length === 0}
        limits={config.limits}
        accepted={config.acceptedFormats}
        onAdd={(files) => {
          add(files);
          openHttp().catch(() => {}); // sooner than needed; when it is needed, a failure shows
        }}
        onRemove={remove}
      />
      <fieldset ref={conditions} className={styles.conditions} aria-describedby={helpId}>
        <legend>
          {t('choose.where')} <span className={styles.optional}>({t('choose.optional')})</span>
        </legend>
        <p id={helpId} className={styles.help}>
          {t('choose.whereHelp')}
        </p>
        <ConditionsFields
          draft={draft}
          faults={submitted ? faults : {}}
          {...notes}
          language={{
            value: speciesLanguage ?? '',
            offered: config.languages,
            none: t('choose.namesAsInterface'),
            onChange: (code) => preferences.change({ speciesLanguage: code === '' ? null : code }),
          }}
          onChange={(part) => setTyped((present) => ({ ...present, ...part }))}
        />
      </fieldset>
      {isSignedIn && <KeepAudioChoice value={keepAudio} retentionDays={config.retentionDays} onChange={setKeepAudio} />}
      {keepAudio !== 'recording' && (
        <ListeningCopyField chosen={sendable} isOffered={isCopyOffered} value={listeningCopy} onChange={setListeningCopy} />
      )}
      <div className={styles.submit}>
        <button type="submit" className="button" aria-disabled={!isOnline} aria-describedby={isOnline ? undefined : offlineId}>
          <IconEar aria-hidden="true" />
          {sendable.length > 1 ? t('choose.submitAll', { count: sendable.length }) : t('choose.submit')}
        </button>
        {!isOnline && (
          <p id={offlineId} className={styles.sentTo}>
            {t('offline.action')}
          </p>
        )}
        <p className={styles.sentTo}>{t(isSignedIn ? 'choose.sentToAccount' : 'choose.sentTo')}</p>
      </div>
    </form>
  );
}

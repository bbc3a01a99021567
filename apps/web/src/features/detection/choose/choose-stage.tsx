import type { KeepAudio, PublicConfig } from '@chiffchaff/contract';
import { IconEar } from '@tabler/icons-react';
import { type FormEvent, useId, useRef, useState } from 'react';
import { useTranslation } from '../../../languages/i18n.ts';
import { useKeepAudioSetting } from '../../../platform/api/use-keep-audio-setting.ts';
import { useIsOnline } from '../../../platform/browser/connection.ts';
import { formatBytes, formatList } from '../../../platform/format/format.ts';
import { useNamesLanguage } from '../../../platform/format/species-language.ts';
import { deviceTimeZone } from '../../../platform/format/time-zone.ts';
import { mayHaveDeviceModel } from '../../../platform/on-device/installed-hint.ts';
import type { PredictionRequest } from '../../../platform/sending/request-prediction.ts';
import { nothingKnown } from '../../../platform/sending/requested-conditions.ts';
import { useAuthSnapshot, useOpenHttp } from '../../../platform/session/session-context.tsx';
import { preferences, usePreferences } from '../../../platform/storage/preferences.ts';
import { Button } from '../../../ui/button.tsx';
import { CheckBox } from '../../../ui/form/check-box.tsx';
import { KeepAudioChoice } from '../../../ui/keep-audio-choice.tsx';
import { lazyScreen } from '../../../ui/lazy-screen.tsx';
import { StageHeading } from '../../../ui/stage-heading.tsx';
import { useVisitPlaces } from '../visit-places.ts';
import styles from './choose.module.css';
import {
  type ConditionsDraft,
  checkConditions,
  conditionsFor,
  devicePlaceIn,
  draftFor,
  draftOf,
  hasFault,
  type Proposals,
  proposalsOf,
  withProposals,
} from './conditions-draft.ts';
import { ConditionsFields, NamesField } from './conditions-fields.tsx';
import { PlaceLine } from './place-line.tsx';
import { RecordingPicker, SharedNotice, useSharedRecordings } from './recording-picker.tsx';
import { SentBefore } from './sent-before.tsx';
import { type ChosenRecording, looksUnlikeSound, useChosenRecordings } from './use-chosen-recordings.ts';

const WhereField = lazyScreen('WhereField', () => import('../on-device/where-field.tsx'));

interface ListeningCopyFieldProperties {
  readonly chosen: readonly ChosenRecording[];
  readonly isOffered: boolean;
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
}

/** Lists recordings that this browser cannot show by itself, before they are sent, and offers to keep them for half an hour. */
function ListeningCopyField({ chosen, isOffered, value, onChange }: ListeningCopyFieldProperties) {
  const { t, i18n } = useTranslation();
  const recordings = chosen.filter(({ file }) => !looksUnlikeSound(file));
  const hindered = (['undecodable', 'tooLong'] as const).flatMap((kind) => {
    const names = recordings.filter(({ hindrance }) => hindrance === kind).map(({ file }) => file.name);
    return names.length === 0 ? [] : [{ kind, names: formatList(names, i18n.language) }];
  });
  return (
    <div className={`stack-tight ${styles.listeningCopy}`}>
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
  readonly config: PublicConfig;
  /** An earlier request that was cancelled: the form starts with it. */
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
  const { speciesLanguage, analyzeOnDevice } = usePreferences();
  const language = useNamesLanguage();
  const { state: account } = useAuthSnapshot();
  const openHttp = useOpenHttp();
  const places = useVisitPlaces();
  const { chosen, add, remove, read } = useChosenRecordings(earlier?.file ?? null);
  useSharedRecordings(add);
  const [timeZone] = useState(deviceTimeZone);
  const [usual] = useState(places.usual);
  const [typed, setTyped] = useState<ConditionsDraft>(() => {
    if (earlier) return draftOf(earlier, places.nameOf(earlier.place), i18n.language);
    return draftFor(usual, timeZone, i18n.language);
  });
  const isSignedIn = account.token !== null;
  const { setting } = useKeepAudioSetting(isSignedIn);
  const [ownKeepAudio, setKeepAudio] = useState<KeepAudio | null>(earlier?.keepAudio ?? null);
  const [listeningCopy, setListeningCopy] = useState(earlier?.listeningCopy ?? false);
  // Sent as shown, since the account's setting may change elsewhere before the prediction is made.
  const keepAudio = isSignedIn ? (ownKeepAudio ?? setting.data ?? null) : null;
  const isCopyOffered = isSignedIn && keepAudio !== 'recording';
  const [submitted, setSubmitted] = useState(false);
  const [refusals, setRefusals] = useState(0);
  const { maxUploadBytes } = config.limits;
  const isOnline = useIsOnline();
  const [areOptionsOpen, setAreOptionsOpen] = useState(false);
  /** Why recordings cannot be analysed here, if that is chosen; `loading` until it is known. */
  const [deviceObstacle, setDeviceObstacle] = useState<string | null | 'loading'>('loading');
  const obstacleId = useId();
  const proposals = proposalsOf(chosen.map(({ metadata }) => metadata ?? nothingKnown));
  const draft = withProposals(typed, proposals, i18n.language);
  const faults = checkConditions(draft);
  const notes = useProposalNotes(typed, proposals);
  const options = useRef<HTMLDetailsElement>(null);
  const openOptions = () => {
    if (!options.current) return;
    options.current.open = true;
    options.current.querySelector<HTMLElement>('fieldset input')?.focus();
  };
  const isPlaceAsked = usual === null && !draft.isPlaceOwn && proposals.place.kind === 'none' && draft.latitude === '';
  const change = (part: Partial<ConditionsDraft>) => setTyped((present) => ({ ...present, ...part }));

  const faultOf = (file: File): string | null => {
    if (file.size === 0) return t('problem.RECORDING_EMPTY');
    if (analyzeOnDevice || file.size <= maxUploadBytes) return null;
    const size = (bytes: number) => formatBytes(bytes, i18n.language);
    return t('choose.tooLarge', { found: size(file.size), most: size(maxUploadBytes) });
  };
  const sendable = chosen.filter(({ file }) => faultOf(file) === null);

  /** Why nothing can be sent now. */
  const obstacleInWords = (): string | null => {
    if (analyzeOnDevice && deviceObstacle !== null) return deviceObstacle === 'loading' ? t('screen.loading') : deviceObstacle;
    if (!analyzeOnDevice && !isOnline) return t('offline.action');
    if (chosen.length === 0) return t('problem.FILE_MISSING');
    return sendable.length === 0 ? t('choose.otherFirst') : null;
  };
  const obstacle = obstacleInWords();
  const isHereOffered = !analyzeOnDevice && chosen.some(({ file }) => file.size > 0) && mayHaveDeviceModel();

  const submit = async (recordings: readonly ChosenRecording[], isForDevice: boolean) => {
    setSubmitted(true);
    if (hasFault(faults)) {
      setRefusals((count) => count + 1);
      return;
    }
    // A place from a file applies to that file only; leaving the question open also counts as an answer.
    if ((draft.isPlaceOwn && !draft.isPlaceOfFile) || isPlaceAsked) places.remember(devicePlaceIn(draft));
    onSubmit(
      await Promise.all(
        recordings.map(async ({ file, metadata, hindrance }) => ({
          file,
          ...conditionsFor(draft, metadata ?? (await read(file))),
          language,
          keepAudio,
          listeningCopy: listeningCopy && isCopyOffered && hindrance !== null,
          isForDevice,
        })),
      ),
    );
  };
  const submitForm = (event: FormEvent) => {
    event.preventDefault();
    if (obstacle === null) void submit(sendable, analyzeOnDevice);
  };
  const submitHere = () =>
    submit(
      chosen.filter(({ file }) => file.size > 0),
      true,
    );

  return (
    <form className={`measure ${styles.form}`} onSubmit={submitForm} noValidate>
      <StageHeading>{t('choose.title')}</StageHeading>
      <SharedNotice />
      <RecordingPicker
        chosen={chosen}
        faultOf={faultOf}
        limits={config.limits}
        accepted={config.acceptedFormats}
        onAdd={(files) => {
          add(files);
          openHttp().catch(() => {}); // preloads the client; a failure shows once it is needed
        }}
        onRemove={remove}
      />
      <PlaceLine draft={draft} proposals={proposals} isAsked={isPlaceAsked} refusals={refusals} onChange={change}>
        <p className={`soft small ${styles.help}`}>{t('choose.whereHelp')}</p>
        <ConditionsFields draft={draft} faults={submitted ? faults : {}} timeZone={timeZone} {...notes} onChange={change} />
      </PlaceLine>
      {keepAudio !== 'recording' && (
        <ListeningCopyField chosen={sendable} isOffered={isCopyOffered} value={listeningCopy} onChange={setListeningCopy} />
      )}
      {isSignedIn && !analyzeOnDevice && chosen.length === 1 && chosen[0] && <SentBefore file={chosen[0].file} />}
      <div className={`cluster ${styles.submit}`} data-chosen={chosen.length > 0}>
        <Button
          type="submit"
          look={obstacle === null ? 'main' : 'secondary'}
          isDisabled={obstacle !== null}
          aria-describedby={obstacle === null ? undefined : obstacleId}
        >
          <IconEar aria-hidden="true" />
          {sendable.length > 1 ? t('choose.submitAll', { count: sendable.length }) : t('choose.submit')}
        </Button>
        {isHereOffered && <Button onClick={() => void submitHere()}>{t('choose.here')}</Button>}
        {obstacle !== null && (
          <p id={obstacleId} className="soft small">
            {obstacle}
          </p>
        )}
      </div>
      <p className="soft small">
        {analyzeOnDevice
          ? deviceObstacle === null && t('local.notSent')
          : t(isSignedIn ? 'choose.sentToAccount' : 'choose.sentTo')}{' '}
        {isSignedIn && !analyzeOnDevice && (
          <>
            {keepAudio !== null && t(`choose.keeps.${keepAudio}`, { count: config.retentionDays })}{' '}
            <button type="button" className={styles.changeKept} onClick={openOptions}>
              {t('choose.changeKept')}
            </button>
          </>
        )}
      </p>
      <details ref={options} className={styles.options} onToggle={({ currentTarget }) => setAreOptionsOpen(currentTarget.open)}>
        <summary>{t('choose.options')}</summary>
        <NamesField
          value={speciesLanguage ?? ''}
          offered={config.languages}
          none={t('choose.namesAsInterface')}
          onChange={(code) => preferences.change({ speciesLanguage: code === '' ? null : code })}
        />
        {(areOptionsOpen || analyzeOnDevice) && <WhereField onObstacle={setDeviceObstacle} />}
        {isSignedIn && <KeepAudioChoice value={keepAudio} retentionDays={config.retentionDays} onChange={setKeepAudio} />}
      </details>
    </form>
  );
}

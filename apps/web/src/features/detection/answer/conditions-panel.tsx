import { namedBirds, type Prediction, predictionSchema, type ReconsiderationBody } from '@chiffchaff/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { AxiosError } from 'axios';
import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from '../../../languages/i18n.ts';
import { isProblem, toApiError } from '../../../platform/api/api-error.ts';
import { errorSentence } from '../../../platform/api/error-sentence.ts';
import { usePublicConfig } from '../../../platform/api/public-config.ts';
import { restoreConditions } from '../../../platform/api/stored-predictions.ts';
import { useCall } from '../../../platform/api/use-call.ts';
import { refreshStoredPredictions } from '../../../platform/api/use-stored-predictions.ts';
import { deviceTimeZone } from '../../../platform/format/time-zone.ts';
import type { DeviceAnswer, DeviceQuestion } from '../../../platform/on-device/device-recognizer.ts';
import { coordinatesOf, nothingKnown } from '../../../platform/sending/requested-conditions.ts';
import { useOpenHttp } from '../../../platform/session/session-context.tsx';
import { Button } from '../../../ui/button.tsx';
import { FailureLine, Notice } from '../../../ui/notice.tsx';
import { birdsSaid } from '../../../ui/reviews/reviewed-name.tsx';
import {
  type ConditionsDraft,
  checkConditions,
  conditionsFor,
  devicePlaceIn,
  draftOf,
  hasFault,
} from '../choose/conditions-draft.ts';
import { ConditionsFields, Field, NamesField, useFocusOnFault } from '../choose/conditions-fields.tsx';
import { PlaceChip, placeOfDraft } from '../choose/place-line.tsx';
import { useAnswerPlace, useVisitPlaces } from '../visit-places.ts';
import styles from './answer.module.css';

export interface ConditionsPanelProperties {
  readonly prediction: Prediction;
  readonly isKept: boolean;
  /** Computes the prediction again on this device, if it was made here. */
  readonly reconsider?: DeviceAnswer['reconsider'] | null | undefined;
  readonly onReconsidered: (prediction: Prediction) => void;
  /** Sends the recording again with other conditions, if the server has nothing of it but the page still has the file. */
  readonly onSendAgain?: ((question: DeviceQuestion) => void) | undefined;
}

const bodyOf = ({ place, placeSource, timeZone, ...others }: DeviceQuestion): ReconsiderationBody => ({
  ...(place ? { ...place, placeSource } : { latitude: null, longitude: null, timeZone }),
  ...others,
});

/** On the device, too, only one step can fail: asking the server what occurs at a place that is not cached. */
const outOfReach = (cause: Error) => Promise.reject(AxiosError.from(cause, 'ERR_NETWORK'));

const PANEL_ID = 'place';

/** Leads from a question about the place to where it can be changed. */
export function openPlaceForm(): void {
  const panel = document.getElementById(PANEL_ID);
  if (panel instanceof HTMLDetailsElement) panel.open = true;
  (panel?.querySelector('summary') ?? panel)?.focus();
}

/** Moves to the headline of another result: what was pressed is about to disappear. */
function goToHeadline(): void {
  const heading = document.querySelector('h1');
  heading?.focus({ preventScroll: true });
  heading?.scrollIntoView({ block: 'center' });
}

interface Properties extends ConditionsPanelProperties {
  /** The answer names birds with the region where they live, because it knows no place or only an assumed one. */
  readonly isPlaceMissed: boolean;
  /** Leads back to the first result, if another one is shown and nothing above says so. */
  readonly back?: ReactNode;
}

/**
 * Says which place the result is for. It opens to change place, date, threshold or language of names, and computes the prediction again from
 * its evidence.
 */
export function ConditionsPanel({
  prediction,
  isKept,
  reconsider,
  onReconsidered,
  onSendAgain,
  isPlaceMissed,
  back,
}: Properties) {
  const { t, i18n } = useTranslation();
  const { data: config } = usePublicConfig();
  const openHttp = useOpenHttp();
  const queries = useQueryClient();
  const { conditions } = prediction;
  const places = useVisitPlaces();
  const [first] = useState(() => {
    const place = coordinatesOf(conditions);
    const placeSource = conditions.placeSource === 'file' ? 'file' : 'stated';
    return draftOf({ ...conditions, place, placeSource }, places.nameOf(place), i18n.language);
  });
  // Predictions sent by another device are computed again with that device's time zone.
  const [timeZone] = useState(() => first.timeZone ?? deviceTimeZone());
  const [draft, setDraft] = useState(first);
  const [minScore, setMinScore] = useState(conditions.minScore);
  const [language, setLanguage] = useState(conditions.language);
  const [submitted, setSubmitted] = useState(false);
  const [refusals, setRefusals] = useState(0);
  const form = useFocusOnFault<HTMLFormElement>(refusals);
  const panel = useRef<HTMLDetailsElement>(null);
  const scoreId = useId();
  const faults = checkConditions(draft);
  const { inWords: place, coordinates } = useAnswerPlace(conditions);
  const isUnplaced = isPlaceMissed && coordinates === null && conditions.timeZone === null;

  const change = useMutation({
    // One after another, so that the last one counts.
    scope: { id: `conditions ${prediction.id}` },
    async mutationFn(question: DeviceQuestion) {
      if (reconsider) return reconsider(question).catch(outOfReach);
      const http = await openHttp().catch(outOfReach);
      const path = `/v1/predictions/${encodeURIComponent(prediction.id)}/conditions`;
      return predictionSchema.parse((await http.post<unknown>(path, bodyOf(question))).data);
    },
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (hasFault(faults)) {
      setRefusals((before) => before + 1);
      return;
    }
    const question = { ...conditionsFor(draft, nothingKnown), minScore, language };
    const remember = () => {
      const isPlaceNew = draft.latitude !== first.latitude || draft.longitude !== first.longitude;
      // Trying another place says nothing of the next recording.
      if (question.place) places.remember(devicePlaceIn(draft), isPlaceNew && places.last() === null);
    };
    if (onSendAgain) {
      remember();
      onSendAgain(question);
      return;
    }
    change.mutate(question, {
      onSuccess(answer) {
        remember();
        // Before the focus goes to it: what changed is at the top.
        flushSync(() => onReconsidered(answer));
        if (panel.current) panel.current.open = false;
        goToHeadline();
        if (!reconsider) void refreshStoredPredictions(queries);
      },
    });
  };
  const edit = (part: Partial<ConditionsDraft>) => setDraft((before) => ({ ...before, ...part }));

  const failure = change.error && toApiError(change.error);
  const isGone = failure !== null && isProblem(failure, 'NOT_FOUND');
  const score = new Intl.NumberFormat(i18n.language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const line = (
    <>
      {isUnplaced ? t('answer.placeMissing') : t('answerPlace.line', { place })}
      {isPlaceMissed && !isUnplaced && `. ${t('answer.placeAssumed')}`}
    </>
  );
  if (!isKept && !reconsider && !onSendAgain)
    return (
      <div id={PANEL_ID} tabIndex={-1} className="soft">
        <p>{line}</p>
        <p>{t('conditions.notKept')}</p>
      </div>
    );
  return (
    <details id={PANEL_ID} ref={panel} className={styles.conditions}>
      <summary className="cluster apart">
        <span>{line}</span>{' '}
        <span className="button button-secondary">{t(isUnplaced ? 'answer.addPlace' : 'answerPlace.change')}</span>
      </summary>
      <form ref={form} className={styles.conditionsForm} onSubmit={submit} noValidate>
        <p className="soft">{t(onSendAgain ? 'conditions.again' : 'conditions.help')}</p>
        <PlaceChip draft={draft}>{placeOfDraft(draft, t, i18n.language)}</PlaceChip>
        <ConditionsFields draft={draft} faults={submitted ? faults : {}} timeZone={timeZone} onChange={edit}>
          <NamesField
            value={language}
            offered={config?.languages.includes(language) ? config.languages : [language, ...(config?.languages ?? [])]}
            onChange={setLanguage}
          />
          <Field label={t('conditions.minScore', { score: score.format(minScore) })} htmlFor={scoreId}>
            <input
              id={scoreId}
              type="range"
              className={styles.range}
              min={0.05}
              max={0.95}
              step={0.05}
              value={minScore}
              aria-valuetext={score.format(minScore)}
              onChange={({ target }) => setMinScore(Number(target.value))}
            />
          </Field>
        </ConditionsFields>
        <div className="cluster">
          <Button type="submit" look="main" isDisabled={change.isPending}>
            {t('conditions.apply')}
          </Button>
          {back}
          <span role="status">
            {change.isPending ? t('conditions.working') : change.isSuccess ? t('conditions.changed') : ''}
          </span>
        </div>
        {failure && (
          <Notice tone="warning" title={isGone ? t('conditions.gone') : errorSentence(failure, t, i18n.language)} announce>
            <p>{t('conditions.unchanged')}</p>
          </Notice>
        )}
      </form>
    </details>
  );
}

export const CHANGES_ID = 'result-changes';

/** What another result changed: its place, if it is another, and which birds it names that the one before did not, and the reverse. */
function Changes({ prediction, before }: { readonly prediction: Prediction; readonly before: Prediction }) {
  const { t, i18n } = useTranslation();
  const { inWords: now } = useAnswerPlace(prediction.conditions);
  const { inWords: place } = useAnswerPlace(before.conditions);
  const onlyIn = (one: Prediction, other: Prediction) => {
    const said = birdsSaid(prediction).flatMap(({ scientificName, to }) => [scientificName, to]);
    const named = new Set([...namedBirds(other).map(({ scientificName }) => scientificName), ...said]);
    const names = namedBirds(one).flatMap(({ scientificName, commonName }) => (named.has(scientificName) ? [] : [commonName]));
    return names.length > 0 && new Intl.ListFormat(i18n.language).format(names);
  };
  const came = onlyIn(prediction, before);
  const went = onlyIn(before, prediction);
  return (
    <p id={CHANGES_ID}>
      {now !== place && t('otherConditions.place', { now, before: place })} {came && t('otherConditions.came', { names: came })}{' '}
      {went && t('otherConditions.went', { names: went })} {!came && !went && t('otherConditions.same')}
    </p>
  );
}

interface FirstResultNoticeProperties {
  readonly prediction: Prediction;
  /** What was shown before the change. */
  readonly before: Prediction;
  /** Leads back. */
  readonly children: ReactNode;
}

/** Says that the place, date or threshold was just changed, and what that changed. */
export function FirstResultNotice({ children, ...changed }: FirstResultNoticeProperties) {
  const { t } = useTranslation();
  return (
    <Notice tone="information" title={t('otherConditions.title')}>
      <Changes {...changed} />
      <p>{t('otherConditions.text')}</p>
      {children}
    </Notice>
  );
}

/** Leads back to the first result, under whose place, date and threshold the recording was analysed. */
export function BackToFirst({ id, onFirst }: { readonly id: string; readonly onFirst: (first: Prediction) => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const back = useCall((http) => restoreConditions(http, id), {
    onSuccess(first) {
      onFirst(first);
      goToHeadline();
      void refreshStoredPredictions(queries);
    },
  });
  return (
    <>
      <FailureLine sentence={back.failure} />
      <Button isDisabled={back.isPending} onClick={() => back.mutate()}>
        {t('otherConditions.back')}
      </Button>
    </>
  );
}

import { type Prediction, predictionSchema, type ReconsiderationBody } from '@chiffchaff/contract';
import { IconAdjustments } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { AxiosError } from 'axios';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toApiError } from '../../../platform/api/api-error.ts';
import { errorSentence } from '../../../platform/api/error-sentence.ts';
import { useOpenHttp } from '../../../platform/api/open-http.ts';
import { usePublicConfig } from '../../../platform/api/public-config.ts';
import { Notice } from '../../../ui/notice.tsx';
import { type ConditionsDraft, checkConditions, draftOf, hasFault, placeOf } from '../choose/conditions-draft.ts';
import { ConditionsFields, Field, useFocusOnFault } from '../choose/conditions-fields.tsx';
import type { PredictionRequest } from '../sending/request-prediction.ts';
import { useVisitPlaces } from '../visit-places.ts';
import styles from './answer.module.css';

/** A date in one of the year's 48 weeks, four a month as in BirdNET: `2026-05-04` for week 17 of 2026. */
export function dateInWeek(week: number, year: number): string {
  const month = Math.ceil(week / 4);
  const day = ((week - 1) % 4) * 7 + 4;
  return [String(year).padStart(4, '0'), ...[month, day].map((part) => String(part).padStart(2, '0'))].join('-');
}

export interface ConditionsPanelProperties {
  readonly prediction: Prediction;
  /** What was asked with; null when only the answer is known. */
  readonly asked: Pick<PredictionRequest, 'place' | 'date'> | null;
  readonly isKept: boolean;
  readonly onReconsidered: (prediction: Prediction) => void;
}

/** Place and date of an answer as a form holds them. Of a date, the answer only keeps the week. */
function draftFor(
  { conditions, createdAt }: Prediction,
  asked: ConditionsPanelProperties['asked'],
  nameOf: ReturnType<typeof useVisitPlaces>['nameOf'],
  interfaceLanguage: string,
): ConditionsDraft {
  if (asked) return draftOf(asked, nameOf(asked.place), interfaceLanguage);
  const { latitude, longitude, week } = conditions;
  const place = latitude === null || longitude === null ? null : { latitude, longitude };
  const date = week === null ? null : dateInWeek(week, new Date(createdAt).getUTCFullYear());
  return draftOf({ place, date }, nameOf(place), interfaceLanguage);
}

/** Another place, date, threshold or language of names for the same recording, worked out from what was heard in it. */
export function ConditionsPanel({ prediction, asked, isKept, onReconsidered }: ConditionsPanelProperties) {
  const { t, i18n } = useTranslation();
  const { data: config } = usePublicConfig();
  const openHttp = useOpenHttp();
  const { conditions } = prediction;
  const places = useVisitPlaces();
  const [first] = useState(() => draftFor(prediction, asked, places.nameOf, i18n.language));
  const [draft, setDraft] = useState(first);
  const [minScore, setMinScore] = useState(conditions.minScore);
  const [language, setLanguage] = useState(conditions.language);
  const [isChanged, setIsChanged] = useState(false);
  const [submitted, setSubmitted] = useState(false);
  const [refusals, setRefusals] = useState(0);
  const form = useFocusOnFault<HTMLFormElement>(refusals);
  const controller = useRef<AbortController | null>(null);
  const scoreId = useId();
  const faults = checkConditions(draft);
  useEffect(() => () => controller.current?.abort(), []);

  const change = useMutation({
    async mutationFn(body: ReconsiderationBody) {
      controller.current?.abort(); // only the latest question counts
      controller.current = new AbortController();
      const { signal } = controller.current;
      const http = await openHttp().catch(() => Promise.reject(new AxiosError('Network Error', 'ERR_NETWORK')));
      const path = `/v1/predictions/${encodeURIComponent(prediction.id)}/conditions`;
      return predictionSchema.parse((await http.post<unknown>(path, body, { signal })).data);
    },
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (hasFault(faults)) {
      setRefusals((before) => before + 1);
      return;
    }
    const place = placeOf(draft);
    const body = { ...place, date: draft.date === '' ? null : draft.date, minScore, language };
    change.mutate(body, {
      onSuccess(answer) {
        setIsChanged(true);
        if (draft.latitude !== first.latitude || draft.longitude !== first.longitude)
          places.remember(place, draft.isPlaceNamed ? draft.placeName : '');
        onReconsidered(answer);
      },
    });
  };

  const failure = change.error && toApiError(change.error);
  const isGone = failure?.kind === 'problem' && failure.problem.code === 'NOT_FOUND';
  const score = new Intl.NumberFormat(i18n.language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return (
    <details className={styles.conditions}>
      <summary>
        <IconAdjustments aria-hidden="true" />
        {t('conditions.title')}
      </summary>
      {isKept ? (
        <form ref={form} className={styles.conditionsForm} onSubmit={submit} noValidate>
          <p className={styles.soft}>
            {t('conditions.help')}
            {isChanged && ` ${t('conditions.firstKept')}`}
          </p>
          <ConditionsFields
            draft={draft}
            faults={submitted ? faults : {}}
            language={{
              value: language,
              offered: config?.languages.includes(language) ? config.languages : [language, ...(config?.languages ?? [])],
              onChange: setLanguage,
            }}
            onChange={(part) => setDraft((present) => ({ ...present, ...part }))}
          >
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
          <div className={styles.conditionsEnd}>
            <button type="submit" className="button" aria-disabled={change.isPending}>
              {t('conditions.apply')}
            </button>
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
      ) : (
        <p className={styles.soft}>{t('conditions.notKept')}</p>
      )}
    </details>
  );
}

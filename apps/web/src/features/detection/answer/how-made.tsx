import type { Prediction } from '@chiffchaff/contract';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { languageName } from '../../../platform/format/species-language.ts';
import prose from '../../../ui/prose.module.css';
import { useVisitPlaces } from '../visit-places.ts';
import styles from './answer.module.css';

export function HowMade({ prediction: { model, recording, conditions, timings } }: { readonly prediction: Prediction }) {
  const { t, i18n } = useTranslation();
  const places = useVisitPlaces();
  const number = (value: number, options: Intl.NumberFormatOptions = {}) =>
    new Intl.NumberFormat(i18n.language, options).format(value);
  const time = (milliseconds: number) => number(milliseconds / 1000, { style: 'unit', unit: 'second', maximumFractionDigits: 2 });
  const degrees = (value: number) => number(value, { maximumFractionDigits: 2 });
  const channels =
    recording.channels === 1
      ? t('details.mono')
      : recording.channels === 2
        ? t('details.stereo')
        : t('details.channels', { count: recording.channels });
  const { latitude, longitude, week } = conditions;
  const place = latitude === null || longitude === null ? null : { latitude, longitude };
  const placeName = places.nameOf(place);
  const coordinates = place && `${degrees(place.latitude)}, ${degrees(place.longitude)}`;
  const facts: readonly (readonly [string, ReactNode])[] = [
    [t('details.model'), `${model.id} (${model.version})`],
    [
      t('details.modelHash'),
      <span key="hash" className={prose.hash}>
        {model.sha256}
      </span>,
    ],
    [t('details.licence'), model.licence],
    [
      t('details.recording'),
      t('details.recordingValue', {
        codec: recording.codec,
        container: recording.container,
        rate: number(recording.sampleRate / 1000),
        channels,
      }),
    ],
    [
      t('details.recordingHash'),
      <span key="hash" className={prose.hash}>
        {recording.sha256}
      </span>,
    ],
    [
      t('details.place'),
      coordinates === null ? t('details.noPlace') : placeName === '' ? coordinates : `${placeName} (${coordinates})`,
    ],
    [t('details.week'), week === null ? t('details.wholeYear') : t('details.weekValue', { week })],
    [t('details.minScore'), number(conditions.minScore, { minimumFractionDigits: 2 })],
    [t('details.overlap'), time(conditions.overlapSeconds * 1000)],
    [t('details.language'), languageName(conditions.language, i18n.language)],
    [
      t('details.took'),
      t('details.tookValue', {
        total: time(timings.totalMs),
        decode: time(timings.decodeMs),
        inference: time(timings.inferenceMs),
      }),
    ],
  ];
  return (
    <details className={styles.disclosure}>
      <summary>{t('details.howTitle')}</summary>
      <p className={styles.soft}>{t('details.howHelp')}</p>
      <dl className={prose.facts}>
        {facts.map(([name, value], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a fixed list; two facts share a name
          <div key={index} className={styles.fact}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

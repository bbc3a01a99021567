import type { Prediction } from '@chiffchaff/contract';
import type { ReactNode } from 'react';
import { useTranslation } from '../../../languages/i18n.ts';
import { formatDate } from '../../../platform/format/format.ts';
import { languageName } from '../../../platform/format/species-language.ts';
import prose from '../../../ui/prose.module.css';
import { useAnswerPlace } from '../visit-places.ts';
import styles from './answer.module.css';

export function HowMade({ prediction: { model, recording, conditions, timings } }: { readonly prediction: Prediction }) {
  const { t, i18n } = useTranslation();
  const number = (value: number, options: Intl.NumberFormatOptions = {}) =>
    new Intl.NumberFormat(i18n.language, options).format(value);
  const time = (milliseconds: number) => number(milliseconds / 1000, { style: 'unit', unit: 'second', maximumFractionDigits: 2 });
  const channels =
    recording.channels === 1
      ? t('details.mono')
      : recording.channels === 2
        ? t('details.stereo')
        : t('details.channels', { count: recording.channels });
  const { week, date } = conditions;
  const { name: placeName, coordinates, inWords } = useAnswerPlace(conditions);
  const hash = (hexadecimal: string) => <span className={`small ${prose.hash}`}>{hexadecimal}</span>;
  const facts: readonly (readonly [string, ReactNode])[] = [
    [t('details.model'), `${model.id} (${model.version})`],
    [t('details.modelHash'), hash(model.sha256)],
    [t('details.licence'), model.licence],
    [
      t('choose.recording'),
      t('details.recordingValue', {
        codec: recording.codec,
        container: recording.container,
        rate: number(recording.sampleRate / 1000),
        channels,
      }),
    ],
    [t('details.recordingHash'), hash(recording.sha256)],
    [
      t('choose.place'),
      coordinates === null
        ? conditions.timeZone === null
          ? t('details.noPlace')
          : inWords
        : placeName === ''
          ? coordinates
          : `${placeName} (${coordinates})`,
    ],
    [
      t('details.week'),
      [
        ...(date === null ? [] : [formatDate(date, i18n.language, { dateStyle: 'medium' })]),
        week === null ? t('details.wholeYear') : t('details.weekValue', { week }),
      ].join(' · '),
    ],
    [t('details.minScore'), number(conditions.minScore, { minimumFractionDigits: 2 })],
    [t('details.overlap'), time(conditions.overlapSeconds * 1000)],
    [t('choose.names'), languageName(conditions.language, i18n.language)],
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
    <details className={`stack-tight ${styles.disclosure}`}>
      <summary>{t('details.howTitle')}</summary>
      <p className="soft">{t('details.howHelp')}</p>
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

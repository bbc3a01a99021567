import { IconMapPin } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import type { RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import { cityOf } from '../../../platform/format/time-zone.ts';
import styles from './choose.module.css';
import {
  type ConditionsDraft,
  changesToNoPlace,
  checkConditions,
  hasFault,
  type Proposals,
  placeOf,
} from './conditions-draft.ts';
import { OwnPosition } from './conditions-fields.tsx';

/** `mid May`: as precise as the season needs. */
function partOfMonth(date: string, t: TFunction, language: string): string {
  const month = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' }).format(new Date(date));
  const day = Number(date.slice(8, 10));
  return t(day <= 10 ? 'place.early' : day <= 20 ? 'place.mid' : 'place.late', { month });
}

/** The place that will be used: `near Cambridge`, `assumed: around London, from your clock`. */
export function placeInWords(draft: ConditionsDraft, t: TFunction, language: string): string {
  const place = hasFault(checkConditions(draft)) ? null : placeOf(draft);
  if (place) {
    const [name = ''] = draft.isPlaceNamed ? draft.placeName.split(', ') : [];
    const degrees = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
    const coordinates = [place.latitude, place.longitude].map((value) => degrees.format(value));
    return t('place.near', { place: name === '' ? coordinates.join(language.startsWith('en') ? ', ' : '; ') : name });
  }
  return draft.timeZone === null ? t('place.unknown') : t('place.assumed', { city: cityOf(draft.timeZone, t) });
}

/** The place at a glance. @param children the place in words, and what is known of the time */
export function PlaceChip({ draft, children }: { readonly draft: ConditionsDraft; readonly children: string }) {
  const { t } = useTranslation();
  return (
    <p className={styles.chip}>
      <IconMapPin aria-hidden="true" />
      <span>
        {children}
        {draft.isPlaceOfFile && ` · ${t('place.fromFile')}`}
      </span>
    </p>
  );
}

interface Properties {
  /** The draft as shown. */
  readonly draft: ConditionsDraft;
  readonly proposals: Proposals;
  /** Nothing is known yet about where recordings of this device are made. */
  readonly isAsked: boolean;
  readonly question?: string;
  readonly isOpen: boolean;
  readonly fieldsId: string;
  readonly toggle: RefObject<HTMLButtonElement | null>;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onChange: (part: Partial<ConditionsDraft>) => void;
}

/** Where and when the recordings were made, in one line: a question the first time, a statement from then on. */
export function PlaceLine({ draft, proposals, isAsked, isOpen, fieldsId, toggle, onOpen, onChange, ...texts }: Properties) {
  const { t, i18n } = useTranslation();
  const { question = t('place.question') } = texts;
  const where = placeInWords(draft, t, i18n.language);
  const anywhere = (
    <button type="button" className="button button-secondary" onClick={() => onChange(changesToNoPlace(null))}>
      {t('place.anywhere')}
    </button>
  );
  const opening = (
    <button
      ref={toggle}
      type="button"
      className="button button-secondary"
      aria-expanded={isOpen}
      aria-controls={fieldsId}
      onClick={() => onOpen(!isOpen)}
    >
      {isOpen ? t('place.done') : t(isAsked ? 'place.search' : 'place.change')}
    </button>
  );
  if (isAsked)
    return (
      // biome-ignore lint/a11y/useSemanticElements: no form of its own, but buttons that answer one question
      <div className={styles.place} role="group" aria-label={question}>
        <p className={styles.question} aria-hidden="true">
          {question}
        </p>
        <div className={styles.answers}>
          <OwnPosition onChange={onChange} />
          {opening}
          {anywhere}
        </div>
        {draft.timeZone !== null && <p className={styles.help}>{t('place.otherwise', { where })}</p>}
      </div>
    );
  const isEach = !draft.isPlaceOwn && proposals.place.kind === 'different';
  const isEachDate = !draft.isDateOwn && proposals.date.kind === 'different';
  const when = isEachDate ? t('place.eachDate') : draft.date === '' ? null : partOfMonth(draft.date, t, i18n.language);
  const parts = [isEach ? t('place.each') : where, when].filter((part) => part !== null).join(', ');
  const isAssumed = !isEach && placeOf(draft) === null && draft.timeZone !== null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: no form of its own, but what belongs to one statement
    <div className={styles.place} role="group" aria-label={t('place.title')}>
      <PlaceChip draft={draft}>{parts}</PlaceChip>
      <div className={styles.answers}>
        {opening}
        {isAssumed && anywhere}
      </div>
    </div>
  );
}

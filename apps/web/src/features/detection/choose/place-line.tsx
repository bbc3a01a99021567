import { IconMapPin } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { type Translate, useTranslation } from '../../../languages/i18n.ts';
import { localTime } from '../../../platform/format/format.ts';
import { deviceTimeZone } from '../../../platform/format/time-zone.ts';
import { nothingKnown, type RequestedConditions } from '../../../platform/sending/requested-conditions.ts';
import type { DevicePlace } from '../../../platform/storage/device-place.ts';
import { Button } from '../../../ui/button.tsx';
import { placeInWords, useVisitPlaces } from '../visit-places.ts';
import styles from './choose.module.css';
import {
  type ConditionsDraft,
  changesToNoPlace,
  checkConditions,
  conditionsFor,
  devicePlaceIn,
  draftFor,
  hasFault,
  type Proposals,
  placeOf,
  proposalsOf,
} from './conditions-draft.ts';
import { ConditionsFields, OwnPosition, PlaceField, useFocusOnFault } from './conditions-fields.tsx';

/** `mid May`: as precise as the season needs. */
function partOfMonth(date: string, t: Translate, language: string): string {
  const month = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' }).format(new Date(date));
  const day = Number(date.slice(8, 10));
  return t(day <= 10 ? 'place.early' : day <= 20 ? 'place.mid' : 'place.late', { month });
}

/** The place that will be used. */
export function placeOfDraft(draft: ConditionsDraft, t: Translate, language: string): string {
  const place = hasFault({ ...checkConditions(draft), date: false }) ? null : placeOf(draft);
  return placeInWords(place, draft.isPlaceNamed ? draft.placeName : '', draft.timeZone, t, language);
}

/** The place at a glance. @param children the place in words, and what is known of the time */
export function PlaceChip({ draft, children }: { readonly draft: ConditionsDraft; readonly children: string }) {
  const { t } = useTranslation();
  return (
    <p className={`line strong ${styles.chip}`}>
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
  /** Whether the search takes the focus when the fields are opened. */
  readonly opensSearch?: boolean;
  /** How often the fields have been refused: each time they open, and the first invalid one takes the focus. */
  readonly refusals?: number;
  readonly onChange: (part: Partial<ConditionsDraft>) => void;
  /** The fields that the line opens to. */
  readonly children: ReactNode;
}

/** Where and when the recordings were made, in one line: a question the first time, a statement from then on. It opens to fields. */
export function PlaceLine({ draft, proposals, isAsked, refusals = 0, onChange, children, ...properties }: Properties) {
  const { t, i18n } = useTranslation();
  const { question = t('place.question'), opensSearch = isAsked } = properties;
  const [isOpen, setIsOpen] = useState(false);
  const [seenRefusals, setSeenRefusals] = useState(refusals);
  if (refusals !== seenRefusals) {
    setSeenRefusals(refusals);
    setIsOpen(true);
  }
  const fieldsId = useId();
  const fields = useFocusOnFault<HTMLDivElement>(refusals);
  const toggle = useRef<HTMLButtonElement>(null);
  const queries = useQueryClient();
  useEffect(() => void queries.prefetchQuery(PlaceField.query), [queries]);
  const open = async () => {
    // Otherwise the focus would go to another field.
    if (!isOpen) await queries.prefetchQuery(PlaceField.query);
    flushSync(() => setIsOpen(!isOpen));
    if (opensSearch) fields.current?.querySelector('input')?.focus();
  };
  const answer = (part: Partial<ConditionsDraft>) => {
    flushSync(() => onChange(part));
    // The pressed button has disappeared with the question.
    if (isAsked && part.isPlaceOwn && !isOpen) toggle.current?.focus();
  };
  const where = placeOfDraft(draft, t, i18n.language);
  const anywhere = <Button onClick={() => answer(changesToNoPlace(null))}>{t('place.anywhere')}</Button>;
  const opening = (
    <Button ref={toggle} aria-expanded={isOpen} aria-controls={fieldsId} onClick={() => void open()}>
      {isOpen ? t('place.done') : t(isAsked ? 'place.search' : 'place.change')}
    </Button>
  );
  const isEach = !draft.isPlaceOwn && proposals.place.kind === 'different';
  const isEachDate = !draft.isDateOwn && proposals.date.kind === 'different';
  const when = isEachDate ? t('place.eachDate') : draft.date === '' ? null : partOfMonth(draft.date, t, i18n.language);
  const parts = [isEach ? t('place.each') : where, when].filter((part) => part !== null).join(', ');
  const isAssumed = !isEach && placeOf(draft) === null && draft.timeZone !== null;
  return (
    <>
      {isAsked ? (
        // biome-ignore lint/a11y/useSemanticElements: no form of its own, but buttons that answer one question
        <div className={`cluster ${styles.place}`} role="group" aria-label={question}>
          <p className="strong" aria-hidden="true">
            {question}
          </p>
          <div className="cluster">
            {!isOpen && <OwnPosition onChange={answer} />}
            {opening}
            {!isOpen && anywhere}
          </div>
          {draft.timeZone !== null && <p className={`soft small ${styles.help}`}>{t('place.otherwise', { where })}</p>}
        </div>
      ) : (
        // biome-ignore lint/a11y/useSemanticElements: no form of its own, but what belongs to one statement
        <div className={`cluster ${styles.place}`} role="group" aria-label={t('place.title')}>
          <PlaceChip draft={draft}>{parts}</PlaceChip>
          <div className="cluster">
            {opening}
            {isAssumed && !isOpen && anywhere}
          </div>
        </div>
      )}
      <div id={fieldsId} ref={fields} className={`stack`} hidden={!isOpen}>
        {isOpen && children}
      </div>
    </>
  );
}

const noProposals = proposalsOf([nothingKnown]);

/**
 * The place of this device, for what it records now: asked once, stored, and changeable at any time. The date is today's at first.
 *
 * @param onChange called initially and after each valid change
 */
export function PlaceSetting({ onChange }: { readonly onChange: (asked: RequestedConditions, place: DevicePlace) => void }) {
  const { t, i18n } = useTranslation();
  const places = useVisitPlaces();
  const [timeZone] = useState(deviceTimeZone);
  const [usual] = useState(places.usual);
  const [draft, setDraft] = useState<ConditionsDraft>(() => ({
    ...draftFor(usual, timeZone, i18n.language),
    date: localTime(new Date()).slice(0, 10),
    isDateOwn: true,
  }));
  const faults = checkConditions(draft);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what to do with it is always the same
  useEffect(() => {
    if (hasFault(checkConditions(draft))) return;
    const place = devicePlaceIn(draft);
    if (draft.isPlaceOwn) places.remember(place);
    onChange(conditionsFor(draft, nothingKnown), place);
  }, [draft]);
  const change = (part: Partial<ConditionsDraft>) => setDraft((present) => ({ ...present, ...part }));
  return (
    <div>
      <PlaceLine
        draft={draft}
        proposals={noProposals}
        isAsked={usual === null && !draft.isPlaceOwn}
        question={t('listen.where')}
        opensSearch
        onChange={change}
      >
        <ConditionsFields {...{ draft, faults, timeZone }} dateLabel={t('place.date')} onChange={change} />
      </PlaceLine>
    </div>
  );
}

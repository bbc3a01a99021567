import { IconCurrentLocation } from '@tabler/icons-react';
import {
  type PropsWithChildren,
  type ReactNode,
  type RefObject,
  type SyntheticEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { useTranslation } from '../../../languages/i18n.ts';
import type { FieldFault } from '../../../platform/format/check-field.ts';
import { languageName } from '../../../platform/format/species-language.ts';
import { cityOf } from '../../../platform/format/time-zone.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/form/form.tsx';
import { useNotes } from '../../../ui/form/use-notes.tsx';
import { lazyScreen } from '../../../ui/lazy-screen.tsx';
import styles from './choose.module.css';
import {
  type ConditionsDraft,
  type ConditionsFaults,
  changesToNoPlace,
  placed,
  rounded,
  withTypedName,
} from './conditions-draft.ts';

/** Fetched once a line that opens to it is on the page: its search weighs more than the rest of the form. */
export const PlaceField = lazyScreen('PlaceField', () => import('./place-field.tsx'));

/** Focuses the first invalid field each time a submission is refused. */
export function useFocusOnFault<Fields extends HTMLElement>(refusals: number): RefObject<Fields | null> {
  const fields = useRef<Fields>(null);
  useEffect(() => {
    if (refusals > 0) fields.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusals]);
  return fields;
}

interface Properties {
  readonly draft: ConditionsDraft;
  readonly faults: ConditionsFaults;
  /** Time zone from which a place can be assumed; null if there is none. */
  readonly timeZone: string | null;
  /** Absent: the date is that of the recording. */
  readonly dateLabel?: string;
  /** Where place and date come from if they were not typed. */
  readonly placeNote?: string | null;
  readonly dateNote?: string | null;
  readonly onChange: (part: Partial<ConditionsDraft>) => void;
  readonly children?: ReactNode;
}

export function Field({ label, children, htmlFor }: PropsWithChildren<{ readonly label: string; readonly htmlFor: string }>) {
  return (
    <div className="field">
      <label htmlFor={htmlFor}>{label}</label>
      {children}
    </div>
  );
}

/** A button that gets the device's position, rounded to about a kilometre. */
export function OwnPosition({ onChange }: Pick<Properties, 'onChange'>) {
  const { t, i18n } = useTranslation();
  const [state, setState] = useState<'idle' | 'asking' | 'denied'>('idle');
  const ask = () => {
    setState('asking');
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        setState('idle');
        onChange({ ...placed(rounded(coords), '', i18n.language), isPlaceOwn: true });
      },
      () => setState('denied'),
      { maximumAge: 600_000, timeout: 20_000 },
    );
  };
  if (!('geolocation' in navigator)) return null;
  return (
    <>
      <Button icon={IconCurrentLocation} onClick={ask} disabled={state === 'asking'}>
        {t('choose.ownPosition')}
      </Button>
      <span role="status">
        {state === 'asking' ? t('choose.locating') : state === 'denied' ? t('choose.positionDenied') : ''}
      </span>
    </>
  );
}

interface NamesProperties {
  readonly value: string;
  readonly offered: readonly string[];
  /** Text for no choice; without it, one is always chosen. */
  readonly none?: string;
  readonly onChange: (code: string) => void;
}

/** The language of species names. */
export function NamesField({ value, offered, none, onChange }: NamesProperties) {
  const { t, i18n } = useTranslation();
  const id = useId();
  if (offered.length === 0) return null;
  return (
    <Field label={t('choose.names')} htmlFor={id}>
      <select id={id} value={value} onChange={({ target }) => onChange(target.value)}>
        {none !== undefined && <option value="">{none}</option>}
        {offered.map((code) => (
          <option key={code} value={code}>
            {languageName(code, i18n.language)}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** Fields for place and date, which can be searched or taken from the device; coordinates and `children` are on request. */
export function ConditionsFields(properties: Properties) {
  const { draft, faults, timeZone, placeNote = null, dateNote = null, onChange, children } = properties;
  const { t, i18n } = useTranslation();
  const hasFault = Boolean(faults.latitude ?? faults.longitude);
  const help = [...(dateNote === null ? [] : [dateNote]), t('choose.dateHelp')].join(' ');
  const date = useNotes(help, faults.date ? t('choose.dateIncomplete') : null);
  // While a part of the date is missing, typing changes nothing.
  const checkDate = ({ currentTarget }: SyntheticEvent<HTMLInputElement>) =>
    onChange({ isDateIncomplete: currentTarget.validity.badInput });
  const hasCoordinates = draft.latitude !== '' || draft.longitude !== '';
  const { latitude, longitude } = draft;
  // Changing one coordinate of a proposed place also adopts the other one.
  const changeCoordinate = (part: Partial<ConditionsDraft>) =>
    onChange({ ...changesToNoPlace(draft.timeZone), latitude, longitude, ...part });
  const faultInWords = (fault: FieldFault | null | undefined) =>
    fault ? (fault.rule === 'required' ? t('choose.both') : t(`field.${fault.rule}`, { ...fault })) : null;
  const fields = useRef<HTMLDivElement>(null);
  const withoutPlace = (timeZone: string | null) => {
    onChange(changesToNoPlace(timeZone));
    // The pressed button disappears.
    fields.current?.querySelector('input')?.focus();
  };
  return (
    <>
      <div ref={fields} className={styles.fields}>
        <PlaceField
          value={draft.placeName}
          isChosen={draft.isPlaceNamed}
          fault={faults.placeName ? t('choose.placeUnknown') : null}
          onType={(placeName) => onChange(withTypedName(draft, placeName))}
          onChoose={(label, place) => onChange({ ...placed(rounded(place), label, i18n.language), isPlaceOwn: true })}
        />
        <Field label={properties.dateLabel ?? t('choose.date')} htmlFor={date.input.id}>
          <input
            {...date.input}
            type="date"
            value={draft.date}
            onBlur={checkDate}
            onKeyDown={(event) => event.key === 'Enter' && checkDate(event)}
            onChange={({ target }) => onChange({ date: target.value, isDateIncomplete: false, isDateOwn: true })}
          />
          {date.notes}
        </Field>
      </div>
      {placeNote !== null && (
        <p className="cluster-tight soft">
          <span>{placeNote}</span>
          <Button onClick={() => onChange(changesToNoPlace(draft.timeZone))}>{t('choose.withoutPlace')}</Button>
        </p>
      )}
      <div className="cluster">
        <OwnPosition onChange={onChange} />
        {(hasCoordinates || draft.timeZone !== null) && <Button onClick={() => withoutPlace(null)}>{t('place.anywhere')}</Button>}
        {timeZone !== null && (hasCoordinates || draft.timeZone === null) && (
          <Button onClick={() => withoutPlace(timeZone)}>{t('place.useClock', { city: cityOf(timeZone, t) })}</Button>
        )}
      </div>
      <details open={hasFault || undefined}>
        <summary>{t('place.advanced')}</summary>
        <div className={styles.fields}>
          {(['latitude', 'longitude'] as const).map((name) => (
            <TextField
              key={name}
              name={name}
              label={t(`choose.${name}`)}
              inputMode="decimal"
              autoComplete="off"
              value={draft[name]}
              fault={faultInWords(faults[name])}
              onChange={(value) => changeCoordinate({ [name]: value })}
            />
          ))}
          {children}
        </div>
      </details>
    </>
  );
}

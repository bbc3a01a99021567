import { IconCurrentLocation } from '@tabler/icons-react';
import { type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type FieldFault, writeNumber } from '../../../platform/format/check-field.ts';
import { languageName } from '../../../platform/format/species-language.ts';
import styles from './choose.module.css';
import { type ConditionsDraft, type ConditionsFaults, emptyDraft, roundDegrees, withTypedName } from './conditions-draft.ts';
import { PlaceField } from './place-field.tsx';

/** Leads to the first field with a fault whenever another submission was refused. */
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
  /** Where the place and the date come from, when they were not typed. */
  readonly placeNote?: string | null;
  readonly dateNote?: string | null;
  readonly language: {
    readonly value: string;
    readonly offered: readonly string[];
    /** What stands for no choice; without it there is always one. */
    readonly none?: string;
    readonly onChange: (code: string) => void;
  };
  readonly onChange: (part: Partial<ConditionsDraft>) => void;
  readonly children?: ReactNode;
}

export function Field({
  label,
  children,
  htmlFor,
}: {
  readonly label: string;
  readonly htmlFor: string;
  readonly children: ReactNode;
}) {
  return (
    <div className={styles.field}>
      <label htmlFor={htmlFor}>{label}</label>
      {children}
    </div>
  );
}

function CoordinateField(properties: {
  label: string;
  value: string;
  fault: FieldFault | null | undefined;
  onChange: (value: string) => void;
}) {
  const { label, value, fault, onChange } = properties;
  const { t } = useTranslation();
  const id = useId();
  const faultId = useId();
  return (
    <Field label={label} htmlFor={id}>
      <input
        id={id}
        className={styles.text}
        inputMode="decimal"
        autoComplete="off"
        value={value}
        aria-invalid={Boolean(fault)}
        aria-describedby={fault ? faultId : undefined}
        onChange={({ target }) => onChange(target.value)}
      />
      {fault && (
        <p id={faultId} className={styles.fault}>
          {fault.rule === 'required' ? t('choose.both') : t(`field.${fault.rule}`, { ...fault })}
        </p>
      )}
    </Field>
  );
}

function OwnPosition({ onFound }: { readonly onFound: (latitude: number, longitude: number) => void }) {
  const { t } = useTranslation();
  const [state, setState] = useState<'idle' | 'asking' | 'denied'>('idle');
  const ask = () => {
    setState('asking');
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        setState('idle');
        onFound(coords.latitude, coords.longitude);
      },
      () => setState('denied'),
      { maximumAge: 600_000, timeout: 20_000 },
    );
  };
  if (!('geolocation' in navigator)) return null;
  return (
    <>
      <button type="button" className="text-button" onClick={ask} disabled={state === 'asking'}>
        <IconCurrentLocation aria-hidden="true" />
        {t('choose.ownPosition')}
      </button>
      <span role="status">
        {state === 'asking' ? t('choose.locating') : state === 'denied' ? t('choose.positionDenied') : ''}
      </span>
    </>
  );
}

export function ConditionsFields(properties: Properties) {
  const { draft, faults, placeNote = null, dateNote = null, language, onChange, children } = properties;
  const { t, i18n } = useTranslation();
  const dateId = useId();
  const languageId = useId();
  const isEmpty = [draft.placeName, draft.latitude, draft.longitude, draft.date].every((text) => text === '');
  const changePlace = (part: Pick<ConditionsDraft, 'placeName'> & Partial<ConditionsDraft>) =>
    // A change of one coordinate of a proposed place takes over the other one, too.
    onChange({ latitude: draft.latitude, longitude: draft.longitude, isPlaceNamed: false, isPlaceOwn: true, ...part });
  const placeAt = (placeName: string, latitude: number, longitude: number) =>
    changePlace({
      placeName,
      isPlaceNamed: placeName !== '',
      latitude: writeNumber(roundDegrees(latitude), i18n.language),
      longitude: writeNumber(roundDegrees(longitude), i18n.language),
    });
  return (
    <>
      <div className={styles.fields}>
        <PlaceField
          value={draft.placeName}
          isChosen={draft.isPlaceNamed}
          fault={faults.placeName ? t('choose.placeUnknown') : null}
          onType={(placeName) => onChange(withTypedName(draft, placeName))}
          onChoose={(label, { latitude, longitude }) => placeAt(label, latitude, longitude)}
        />
        <CoordinateField
          label={t('choose.latitude')}
          value={draft.latitude}
          fault={faults.latitude}
          onChange={(latitude) => changePlace({ latitude, placeName: '' })}
        />
        <CoordinateField
          label={t('choose.longitude')}
          value={draft.longitude}
          fault={faults.longitude}
          onChange={(longitude) => changePlace({ longitude, placeName: '' })}
        />
        <Field label={t('choose.date')} htmlFor={dateId}>
          <input
            id={dateId}
            type="date"
            className={styles.text}
            value={draft.date}
            aria-describedby={`${dateId}-help`}
            onChange={({ target }) => onChange({ date: target.value, isDateOwn: true })}
          />
          <p id={`${dateId}-help`} className={styles.help}>
            {dateNote !== null && `${dateNote} `}
            {t('choose.dateHelp')}
          </p>
        </Field>
        {language.offered.length > 0 && (
          <Field label={t('choose.names')} htmlFor={languageId}>
            <select
              id={languageId}
              className={styles.text}
              value={language.value}
              onChange={({ target }) => language.onChange(target.value)}
            >
              {language.none !== undefined && <option value="">{language.none}</option>}
              {language.offered.map((code) => (
                <option key={code} value={code}>
                  {languageName(code, i18n.language)}
                </option>
              ))}
            </select>
          </Field>
        )}
        {children}
      </div>
      {placeNote !== null && (
        <p className={styles.proposed}>
          <span>{placeNote}</span>
          <button
            type="button"
            className="text-button"
            onClick={() => changePlace({ placeName: '', latitude: '', longitude: '' })}
          >
            {t('choose.withoutPlace')}
          </button>
        </p>
      )}
      <div className={styles.fieldActions}>
        <OwnPosition onFound={(latitude, longitude) => placeAt('', latitude, longitude)} />
        {!isEmpty && (
          <button
            type="button"
            className="text-button"
            onClick={() => onChange({ ...emptyDraft, isPlaceOwn: true, isDateOwn: true })}
          >
            {t('choose.clear')}
          </button>
        )}
      </div>
    </>
  );
}

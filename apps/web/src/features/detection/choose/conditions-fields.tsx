import { IconCurrentLocation } from '@tabler/icons-react';
import type { AxiosInstance } from 'axios';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FieldFault } from '../../../platform/check-field.ts';
import { preferences, usePreferences } from '../../../platform/preferences.ts';
import styles from './choose.module.css';
import { type ConditionsDraft, type ConditionsFaults, emptyDraft } from './conditions-draft.ts';
import { PlaceField } from './place-field.tsx';
import { languageName } from './species-language.ts';

interface Properties {
  readonly draft: ConditionsDraft;
  readonly faults: ConditionsFaults;
  /** Languages of species names, as the server names them. */
  readonly languages: readonly string[];
  readonly http: AxiosInstance;
  readonly onChange: (part: Partial<ConditionsDraft>) => void;
}

/** About a kilometre: enough to tell which birds live there, and no more than that needs. */
const roundDegrees = (degrees: number): string => String(Math.round(degrees * 100) / 100);

function Field({ label, children, htmlFor }: { readonly label: string; readonly htmlFor: string; readonly children: ReactNode }) {
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

/** Asks the device where it is, when the person asks for that. */
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

/** Place, date and language of names: all optional. */
export function ConditionsFields({ draft, faults, languages, http, onChange }: Properties) {
  const { t, i18n } = useTranslation();
  const { speciesLanguage } = usePreferences();
  const dateId = useId();
  const languageId = useId();
  const helpId = useId();
  const isEmpty = Object.entries(emptyDraft).every(([name, value]) =>
    Object.entries(draft).some(([own, held]) => own === name && held === value),
  );
  return (
    <fieldset className={styles.conditions} aria-describedby={helpId}>
      <legend>
        {t('choose.where')} <span className={styles.optional}>({t('choose.optional')})</span>
      </legend>
      <p id={helpId} className={styles.help}>
        {t('choose.whereHelp')}
      </p>
      <div className={styles.fields}>
        <PlaceField
          http={http}
          value={draft.placeName}
          onType={(placeName) => onChange({ placeName })}
          onChoose={(label, { latitude, longitude }) =>
            onChange({ placeName: label, latitude: roundDegrees(latitude), longitude: roundDegrees(longitude) })
          }
        />
        <CoordinateField
          label={t('choose.latitude')}
          value={draft.latitude}
          fault={faults.latitude}
          onChange={(latitude) => onChange({ latitude, placeName: '' })}
        />
        <CoordinateField
          label={t('choose.longitude')}
          value={draft.longitude}
          fault={faults.longitude}
          onChange={(longitude) => onChange({ longitude, placeName: '' })}
        />
        <Field label={t('choose.date')} htmlFor={dateId}>
          <input
            id={dateId}
            type="date"
            className={styles.text}
            value={draft.date}
            aria-describedby={`${dateId}-help`}
            onChange={({ target }) => onChange({ date: target.value, dateFromName: false })}
          />
          <p id={`${dateId}-help`} className={styles.help}>
            {draft.dateFromName ? `${t('choose.dateFromName')} ` : ''}
            {t('choose.dateHelp')}
          </p>
        </Field>
        {languages.length > 0 && (
          <Field label={t('choose.names')} htmlFor={languageId}>
            <select
              id={languageId}
              className={styles.text}
              value={speciesLanguage ?? ''}
              onChange={({ target }) => preferences.change({ speciesLanguage: target.value === '' ? null : target.value })}
            >
              <option value="">{t('choose.namesAsInterface')}</option>
              {languages.map((code) => (
                <option key={code} value={code}>
                  {languageName(code, i18n.language)}
                </option>
              ))}
            </select>
          </Field>
        )}
      </div>
      <div className={styles.fieldActions}>
        <OwnPosition
          onFound={(latitude, longitude) =>
            onChange({ placeName: '', latitude: roundDegrees(latitude), longitude: roundDegrees(longitude) })
          }
        />
        {!isEmpty && (
          <button type="button" className="text-button" onClick={() => onChange(emptyDraft)}>
            {t('choose.clear')}
          </button>
        )}
      </div>
    </fieldset>
  );
}

import {
  isEmailAddress,
  missingTerms,
  type PublicTerms,
  type SettingName,
  type SetupAnswer,
  setupAnswerSchema,
  testEmailAnswerSchema,
  type WrittenSettings,
} from '@chiffchaff/contract';
import { type ComponentType, type FormEvent, useId, useState } from 'react';
import { interfaceLanguages, useTranslation } from '../../languages/i18n.ts';
import { isProblem, toApiError } from '../../platform/api/api-error.ts';
import { ask } from '../../platform/api/ask.ts';
import { useCall } from '../../platform/api/use-call.ts';
import { Button } from '../../ui/button.tsx';
import { CheckBox } from '../../ui/form/check-box.tsx';
import { Form, type PlaceFieldProperties, TextField } from '../../ui/form/form.tsx';
import { useNotes } from '../../ui/form/use-notes.tsx';
import styles from './setup.module.css';

/** A request of `/setup`, with the code in a header. */
export const setupRequest = (code: string, path = '') => ({
  url: `/v1/setup${path}`,
  headers: code === '' ? {} : { 'Setup-Code': code },
});

type Blank = keyof PublicTerms;

const first = ['siteName', 'businessName', 'contactEmail'] as const;
const further = [
  ...(['effectiveDate', 'contactAddress', 'contactPhone', 'copyrightAgent', 'country', 'state', 'county'] as const),
  ...(['negotiationDays', 'disputeYears', 'liabilityMonths', 'liabilityAmount'] as const),
];

/** The fields that a refusal is about. */
function faultsOf(thrown: Error | null): readonly string[] {
  const error = thrown && toApiError(thrown);
  return error?.kind === 'problem' ? (error.problem.errors?.map(({ field }) => field) ?? []) : [];
}

interface Properties {
  readonly code: string;
  readonly answer: SetupAnswer;
  readonly PlaceField: ComponentType<PlaceFieldProperties>;
  readonly TermsPreview: ComponentType<{ readonly terms: PublicTerms }>;
  readonly onSaved: () => void;
  readonly onClosed: () => void;
}

export function SetupForm({ code, answer, PlaceField, TermsPreview, onSaved, onClosed }: Properties) {
  const { t } = useTranslation();
  const { fixed, mail } = answer;
  const [draft, setDraft] = useState(answer.settings);
  const [placeName, setPlaceName] = useState(draft.defaultPlace.split(',').slice(2).join(',').trim());
  const [isPlaceOpen, setIsPlaceOpen] = useState(false);
  const [isPreviewed, setIsPreviewed] = useState(false);
  const previewId = useId();
  const terms = Object.fromEntries([...first, ...further].map((name) => [name, draft[name].trim() || null])) as PublicTerms;
  const missing = missingTerms(terms).length;
  const change = (name: SettingName, value: string) => setDraft((present) => ({ ...present, [name]: value }));
  const fixedNote = (name: SettingName) => fixed.includes(name) && t('setup.fixed');
  const language = useNotes(fixedNote('defaultLanguage') || t('setup.languageHelp'), null);

  const save = useCall(
    (http, _form: HTMLFormElement) =>
      ask(http, setupAnswerSchema, { ...setupRequest(code), method: 'PUT', data: draft satisfies WrittenSettings }),
    {
      onSuccess: onSaved,
      onError(thrown, form) {
        if (isProblem(toApiError(thrown), 'NOT_FOUND')) onClosed();
        const input = form.elements.namedItem(faultsOf(thrown)[0] ?? '');
        if (input instanceof HTMLElement) input.focus();
      },
    },
  );
  const faults = faultsOf(save.error);
  const refusal = isPlaceOpen ? t('choose.placeUnknown') : faults.length > 0 ? t('setup.faults') : save.failure;
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (save.isPending) return;
    const isOpen = placeName.trim() !== '' && draft.defaultPlace === '';
    setIsPlaceOpen(isOpen);
    if (isOpen) save.reset();
    else save.mutate(event.currentTarget);
  };

  const blank = (name: Blank) => {
    const note = fixedNote(name);
    return (
      <TextField
        key={name}
        name={name}
        value={draft[name]}
        fault={faults.includes(name) ? t('setup.fieldFault') : null}
        label={t(`setup.field.${name}`)}
        help={note || t(`setup.help.${name}`)}
        type={name === 'effectiveDate' ? 'date' : name === 'contactEmail' ? 'email' : 'text'}
        autoComplete="off"
        readOnly={Boolean(note)}
        onChange={(text) => change(name, text)}
      />
    );
  };

  return (
    <Form form={{ isBusy: save.isPending, refusal, onSubmit }} label={t('action.save')}>
      <p>{t('setup.intro')}</p>
      <fieldset className={`stack ${styles.group}`}>
        <legend>{t('setup.who')}</legend>
        {first.map(blank)}
        <TestEmail code={code} mail={mail} contactEmail={draft.contactEmail} />
      </fieldset>
      <fieldset className={`stack ${styles.group}`}>
        <legend>{t('setup.place')}</legend>
        {fixed.includes('defaultPlace') ? (
          <p>
            {placeName}. {fixedNote('defaultPlace')}
          </p>
        ) : (
          <>
            <p>{t('setup.placeHelp')}</p>
            <PlaceField
              value={placeName}
              isChosen={draft.defaultPlace !== ''}
              fault={null}
              onType={(text) => {
                setPlaceName(text);
                change('defaultPlace', '');
              }}
              onChoose={(label, { latitude, longitude }) => {
                setPlaceName(label);
                change('defaultPlace', `${latitude}, ${longitude}, ${(label.split(',', 1)[0] ?? label).slice(0, 100)}`);
              }}
            />
          </>
        )}
      </fieldset>
      <fieldset className={`stack ${styles.group}`}>
        <legend>{t('setup.page')}</legend>
        <div className="field">
          <label htmlFor={language.input.id}>{t('preferences.language')}</label>
          <select
            {...language.input}
            value={draft.defaultLanguage || 'en'}
            disabled={fixed.includes('defaultLanguage')}
            onChange={({ target }) => change('defaultLanguage', target.value)}
          >
            {interfaceLanguages.map(({ code, name }) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </select>
          {language.notes}
        </div>
        <CheckBox
          name="speciesPictures"
          checked={draft.speciesPictures === 'wikimedia'}
          isFixed={fixed.includes('speciesPictures')}
          help={fixedNote('speciesPictures') || t('setup.picturesHelp')}
          onChange={(isWanted) => change('speciesPictures', isWanted ? 'wikimedia' : '')}
        >
          {t('setup.pictures')}
        </CheckBox>
      </fieldset>
      <fieldset className={`stack ${styles.group}`}>
        <legend>{t('setup.terms')}</legend>
        <p>{t('setup.termsHelp')}</p>
        {further.map(blank)}
        <p role="status">{missing === 0 ? t('setup.complete') : t('setup.missing', { missing })}</p>
        <Button aria-expanded={isPreviewed} aria-controls={previewId} onClick={() => setIsPreviewed(!isPreviewed)}>
          {t(isPreviewed ? 'setup.hidePreview' : 'setup.preview')}
        </Button>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys */}
        <section id={previewId} aria-label={t('setup.previewed')} hidden={!isPreviewed} tabIndex={0} className={styles.preview}>
          {isPreviewed && <TermsPreview terms={terms} />}
        </section>
      </fieldset>
    </Form>
  );
}

interface TestEmailProperties {
  readonly code: string;
  readonly mail: SetupAnswer['mail'];
  readonly contactEmail: string;
}

/** Sends a test email to the contact address and shows the result. */
function TestEmail({ code, mail, contactEmail }: TestEmailProperties) {
  const { t, i18n } = useTranslation();
  const email = contactEmail.trim();
  const test = useCall((http) =>
    ask(http, testEmailAnswerSchema, {
      ...setupRequest(code, '/test-email'),
      method: 'POST',
      data: { contactEmail: email, language: i18n.language },
    }),
  );
  if (mail !== 'configured') return <p className="soft small">{t(`setup.mail.${mail}`)}</p>;
  const canSend = isEmailAddress(email) && !test.isPending;
  const isTooSoon = test.error !== null && isProblem(toApiError(test.error), 'TOO_MANY_REQUESTS');
  const sentence = test.data ? t(`setup.outcome.${test.data.outcome}`, { email }) : isTooSoon ? t('setup.tooSoon') : test.failure;
  return (
    <div>
      <Button isDisabled={!canSend} onClick={() => test.mutate()}>
        {t('setup.sendTest')}
      </Button>
      <p role="status" className="soft small">
        {test.isPending ? t('form.working') : (sentence ?? (canSend ? '' : t('setup.testNeeds')))}
      </p>
    </div>
  );
}

import {
  isEmailAddress,
  missingTerms,
  type Place,
  type PublicTerms,
  type SettingName,
  type SetupAnswer,
} from '@chiffchaff/contract';
import { useMutation } from '@tanstack/react-query';
import { type ComponentType, type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { interfaceLanguages } from '../../languages/i18n.ts';
import { isProblem, toApiError } from '../../platform/api/api-error.ts';
import { errorSentence } from '../../platform/api/error-sentence.ts';
import { Button } from '../../ui/button.tsx';
import { CheckBox } from '../../ui/form/check-box.tsx';
import { Form, TextField } from '../../ui/form/form.tsx';
import styles from './setup.module.css';
import type { SetupCalls } from './setup-calls.ts';

/** Properties of the place search, which belongs to another feature. */
export interface PlaceFieldProperties {
  readonly value: string;
  readonly isChosen: boolean;
  readonly fault: string | null;
  readonly onType: (text: string) => void;
  readonly onChoose: (label: string, place: Place) => void;
}

type Blank = keyof PublicTerms;

const first = ['siteName', 'businessName', 'contactEmail'] as const;
const further = [
  ...(['effectiveDate', 'contactAddress', 'contactPhone', 'copyrightAgent', 'country', 'state', 'county'] as const),
  ...(['negotiationDays', 'disputeYears', 'liabilityMonths', 'liabilityAmount'] as const),
];

interface Properties {
  readonly calls: SetupCalls;
  readonly answer: SetupAnswer;
  readonly PlaceField: ComponentType<PlaceFieldProperties>;
  readonly TermsPreview: ComponentType<{ readonly terms: PublicTerms }>;
  readonly onSaved: () => void;
  readonly onClosed: () => void;
}

export function SetupForm({ calls, answer, PlaceField, TermsPreview, onSaved, onClosed }: Properties) {
  const { t, i18n } = useTranslation();
  const { fixed, mail } = answer;
  const [draft, setDraft] = useState(answer.settings);
  const [placeName, setPlaceName] = useState(draft.defaultPlace.split(',').slice(2).join(',').trim());
  const [faults, setFaults] = useState<readonly string[]>([]);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [isPreviewed, setIsPreviewed] = useState(false);
  const languageId = useId();
  const previewId = useId();
  const terms = Object.fromEntries([...first, ...further].map((name) => [name, draft[name].trim() || null])) as PublicTerms;
  const missing = missingTerms(terms).length;
  const change = (name: SettingName, value: string) => setDraft((present) => ({ ...present, [name]: value }));
  const fixedNote = (name: SettingName) => fixed.includes(name) && t('setup.fixed');

  async function save(form: HTMLFormElement): Promise<void> {
    if (isBusy) return;
    const isPlaceOpen = placeName.trim() !== '' && draft.defaultPlace === '';
    setFaults(isPlaceOpen ? ['defaultPlace'] : []);
    setRefusal(isPlaceOpen ? t('setup.placeOpen') : null);
    if (isPlaceOpen) return;
    setIsBusy(true);
    try {
      await calls.save(draft);
      onSaved();
    } catch (thrown) {
      const error = toApiError(thrown);
      const found = error.kind === 'problem' ? (error.problem.errors?.map(({ field }) => field) ?? []) : [];
      setFaults(found);
      if (isProblem(error, 'NOT_FOUND')) onClosed();
      else setRefusal(found.length > 0 ? t('setup.faults') : errorSentence(error, t, i18n.language));
      const input = form.elements.namedItem(found[0] ?? '');
      if (input instanceof HTMLElement) input.focus();
    } finally {
      setIsBusy(false);
    }
  }
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void save(event.currentTarget);
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
    <Form form={{ isBusy, refusal, onSubmit }} label={t('setup.save')}>
      <p>{t('setup.intro')}</p>
      <fieldset className={`stack ${styles.group}`}>
        <legend>{t('setup.who')}</legend>
        {first.map(blank)}
        <TestEmail calls={calls} mail={mail} contactEmail={draft.contactEmail} />
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
          <label htmlFor={languageId}>{t('setup.language')}</label>
          <select
            id={languageId}
            value={draft.defaultLanguage || 'en'}
            disabled={fixed.includes('defaultLanguage')}
            aria-describedby={`${languageId}-help`}
            onChange={({ target }) => change('defaultLanguage', target.value)}
          >
            {interfaceLanguages.map(({ code, name }) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </select>
          <p id={`${languageId}-help`} className="soft small">
            {fixedNote('defaultLanguage') || t('setup.languageHelp')}
          </p>
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
  readonly calls: SetupCalls;
  readonly mail: SetupAnswer['mail'];
  readonly contactEmail: string;
}

/** Sends a test email to the contact address and shows the result. */
function TestEmail({ calls, mail, contactEmail }: TestEmailProperties) {
  const { t, i18n } = useTranslation();
  const email = contactEmail.trim();
  const { data, error, isPending, mutate } = useMutation({ mutationFn: () => calls.testEmail(email, i18n.language) });
  if (mail !== 'configured') return <p className="soft small">{t(`setup.mail.${mail}`)}</p>;
  const canSend = isEmailAddress(email) && !isPending;
  const failure = error && toApiError(error);
  const isTooSoon = failure?.kind === 'problem' && failure.problem.code === 'TOO_MANY_REQUESTS';
  const sentence = data
    ? t(`setup.outcome.${data}`, { email })
    : failure && (isTooSoon ? t('setup.tooSoon') : errorSentence(failure, t, i18n.language));
  return (
    <div>
      <Button isDisabled={!canSend} onClick={() => canSend && mutate()}>
        {t('setup.sendTest')}
      </Button>
      <p role="status" className="soft small">
        {isPending ? t('form.working') : (sentence ?? (canSend ? '' : t('setup.testNeeds')))}
      </p>
    </div>
  );
}

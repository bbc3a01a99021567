import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AccountProfile } from '../../../platform/identity/identity-client.ts';
import formStyles from '../../../ui/form/form.module.css';
import { FormEnd } from '../../../ui/form/form-end.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import styles from '../account.module.css';
import { displayNameFault } from '../account-fields.ts';
import { refusalOf } from '../refusal-of.ts';
import { useAccountCalls } from '../use-account-calls.ts';
import { Section } from './section.tsx';

export function DisplayNameSection({ profile }: { readonly profile: AccountProfile }) {
  const { t } = useTranslation();
  const calls = useAccountCalls();
  const [isSaved, setIsSaved] = useState(false);
  const form = useForm(
    { displayName: profile.displayName },
    { displayName: (text) => displayNameFault(text, t) },
    async ({ displayName }) => {
      try {
        await calls.withToken((identity, idToken) => identity.setDisplayName(idToken, displayName.trim()));
        setIsSaved(true);
        return null;
      } catch (thrown) {
        return refusalOf(thrown, ['displayName'], t);
      }
    },
  );
  const field = form.field('displayName');
  return (
    <Section title={t('account.displayName')}>
      <form className={formStyles.form} noValidate onSubmit={form.onSubmit}>
        <TextField
          {...field}
          onChange={(text) => {
            field.onChange(text);
            setIsSaved(false);
          }}
          label={t('account.displayNameLabel')}
          autoComplete="nickname"
          help={t('account.displayNameHelp')}
        />
        <FormEnd label={t('account.save')} isBusy={form.isBusy} refusal={form.refusal} quiet>
          <span role="status" className={styles.soft}>
            {isSaved ? t('account.saved') : ''}
          </span>
        </FormEnd>
      </form>
    </Section>
  );
}

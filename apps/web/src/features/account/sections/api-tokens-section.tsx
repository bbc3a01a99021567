import { type ApiToken, apiTokenLimits, apiTokensSchema, createdApiTokenSchema, type TokenScope } from '@chiffchaff/contract';
import { useId, useState } from 'react';
import { useTranslation } from '../../../languages/i18n.ts';
import { useCall } from '../../../platform/api/use-call.ts';
import { useRecord } from '../../../platform/api/use-record.ts';
import { copyText } from '../../../platform/browser/copy-text.ts';
import { formatDate } from '../../../platform/format/format.ts';
import { useOpenHttp } from '../../../platform/session/session-context.tsx';
import { AskFirst } from '../../../ui/ask-first.tsx';
import { Button } from '../../../ui/button.tsx';
import { CheckBox } from '../../../ui/form/check-box.tsx';
import { Form, PasswordField, TextField } from '../../../ui/form/form.tsx';
import { Failure, Notice } from '../../../ui/notice.tsx';
import styles from '../account.module.css';
import { useAccountCalls, useRefreshAccount } from '../use-account.ts';
import { passwordFault, tokenNameFault, useAccountForm } from '../use-account-form.ts';
import { Section } from './section.tsx';

const TOKENS = '/v1/account/tokens';
const SCOPES: readonly TokenScope[] = ['predict', 'read'];
const NEVER = '0';

interface Properties {
  readonly email: string;
  /** The accounts are this server's own. Tokens of other accounts have to expire. */
  readonly isEmbedded: boolean;
}

/** The account's API tokens: what each may do, with ways to create and revoke one. */
export function ApiTokensSection(properties: Properties) {
  const { t } = useTranslation();
  const refresh = useRefreshAccount();
  const [made, setMade] = useState<{ readonly secret: string; readonly count: number } | null>(null);
  const { data, failure } = useRecord('account', TOKENS, apiTokensSchema);
  return (
    <Section title={t('tokens.title')}>
      <p>
        {t('tokens.help')} <a href="/docs/api">{t('tokens.docs')}</a>
      </p>
      <Failure sentence={failure} />
      <ul className="plain">
        {data?.tokens.map((token) => (
          <Token key={token.id} token={token} />
        ))}
      </ul>
      {made && <Secret key={made.count} secret={made.secret} />}
      <details key={`form ${made?.count ?? 0}`}>
        <summary className="button button-secondary">{t('tokens.begin')}</summary>
        <TokenForm
          {...properties}
          onMade={(secret) => {
            setMade({ secret, count: (made?.count ?? 0) + 1 });
            refresh();
          }}
        />
      </details>
    </Section>
  );
}

function Token({ token: { id, name, scopes, expiresAt, lastUsedAt } }: { readonly token: ApiToken }) {
  const { t, i18n } = useTranslation();
  const refresh = useRefreshAccount();
  const revoke = useCall((http) => http.delete(`${TOKENS}/${encodeURIComponent(id)}`), { onSettled: refresh });
  const day = (time: string) => formatDate(time, i18n.language, { dateStyle: 'medium' });
  const end = () => {
    if (expiresAt === null) return t('tokens.noExpiry');
    return t(Date.parse(expiresAt) <= Date.now() ? 'tokens.expired' : 'tokens.expires', { day: day(expiresAt) });
  };
  return (
    <li className={`cluster apart ${styles.session}`}>
      <span>
        <span className="strong">{name}</span>
        <br />
        <span className="soft small">
          {[
            ...scopes.map((scope) => t(`tokens.short.${scope}`)),
            lastUsedAt === null ? t('tokens.unused') : t('tokens.used', { day: day(lastUsedAt) }),
            end(),
          ].join(' · ')}
        </span>
      </span>
      <AskFirst
        aria-label={t('tokens.revokeOf', { name })}
        isDisabled={revoke.isPending}
        question={t('tokens.ask')}
        yes={t('tokens.revokeNow')}
        onYes={() => revoke.mutate()}
      >
        {t('share.revoke')}
      </AskFirst>
      <Failure sentence={revoke.failure} />
    </li>
  );
}

/** A new token, which is shown only once. */
function Secret({ secret }: { readonly secret: string }) {
  const { t } = useTranslation();
  const id = useId();
  const [isCopied, setIsCopied] = useState<boolean | null>(null);
  return (
    <Notice tone="information" title={t('tokens.made')} announce>
      <label htmlFor={id}>{t('tokens.secret')}</label>
      <input id={id} className={styles.secret} readOnly value={secret} onFocus={({ target }) => target.select()} />
      <div className="cluster">
        <Button look="main" onClick={() => void copyText(secret).then(setIsCopied)}>
          {t('tokens.copy')}
        </Button>
        <span role="status">{isCopied !== null && t(isCopied ? 'share.copied' : 'tokens.notCopied')}</span>
      </div>
    </Notice>
  );
}

function TokenForm({ email, isEmbedded, onMade }: Properties & { readonly onMade: (secret: string) => void }) {
  const { t } = useTranslation();
  const id = useId();
  const calls = useAccountCalls();
  const openHttp = useOpenHttp();
  const [scopes, setScopes] = useState<readonly TokenScope[]>(['predict']);
  const [days, setDays] = useState('90');
  const form = useAccountForm(
    { name: '', password: '' },
    { name: tokenNameFault, password: passwordFault },
    async ({ name, password }) => {
      await calls.confirmPassword(email, password);
      const expiry = days === NEVER ? {} : { expiresInDays: Number(days) };
      const { data } = await (await openHttp()).post<unknown>(TOKENS, { name: name.trim(), scopes, ...expiry });
      onMade(createdApiTokenSchema.parse(data).secret);
    },
  );
  const choices = isEmbedded ? ['30', '90', '365', NEVER] : ['30', String(apiTokenLimits.longestDaysForeign)];
  return (
    <Form form={form} label={t('tokens.create')} username={email}>
      <TextField {...form.field('name')} label={t('tokens.name')} help={t('tokens.nameHelp')} autoComplete="off" required />
      <fieldset className={`stack-tight ${styles.scopes}`}>
        <legend>{t('tokens.may')}</legend>
        {SCOPES.map((scope) => (
          <CheckBox
            key={scope}
            name={scope}
            checked={scopes.includes(scope)}
            onChange={(checked) => {
              const others = scopes.filter((one) => one !== scope);
              // A token needs at least one scope.
              if (checked || others.length > 0) setScopes(checked ? [...others, scope] : others);
            }}
          >
            {t(`tokens.long.${scope}`)}
          </CheckBox>
        ))}
      </fieldset>
      <div>
        <label htmlFor={id}>{t('tokens.until')}</label>{' '}
        <select id={id} value={days} onChange={({ target }) => setDays(target.value)}>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice === NEVER ? t('tokens.noExpiry') : t('tokens.days', { count: Number(choice) })}
            </option>
          ))}
        </select>
      </div>
      <PasswordField {...form.field('password')} label={t('account.currentPassword')} help={t('account.whyPassword')} />
    </Form>
  );
}

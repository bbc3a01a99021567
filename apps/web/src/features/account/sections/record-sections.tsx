import { accountExportSchema, sessionsAnswerSchema, termsAnswerSchema } from '@chiffchaff/contract';
import { IconTrash } from '@tabler/icons-react';
import { Link, useNavigate } from 'react-router';
import { useTranslation } from '../../../languages/i18n.ts';
import { ask } from '../../../platform/api/ask.ts';
import { useLinks } from '../../../platform/api/links.ts';
import { usePublicConfig } from '../../../platform/api/public-config.ts';
import { useCall, useFailureSentence } from '../../../platform/api/use-call.ts';
import { useDeletion } from '../../../platform/api/use-deletion.ts';
import { useKeepAudioSetting } from '../../../platform/api/use-keep-audio-setting.ts';
import { useRecord } from '../../../platform/api/use-record.ts';
import { saveFile } from '../../../platform/browser/save-file.ts';
import { formatDate, formatList } from '../../../platform/format/format.ts';
import { termsVersion } from '../../../platform/session/terms-version.ts';
import { AskFirst, Done } from '../../../ui/ask-first.tsx';
import { Button } from '../../../ui/button.tsx';
import { KeepAudioChoice } from '../../../ui/keep-audio-choice.tsx';
import { Failure } from '../../../ui/notice.tsx';
import styles from '../account.module.css';
import { useRefreshAccount } from '../use-account.ts';
import { Section } from './section.tsx';

/** The first match wins: most user agents also name several other browsers. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** `Firefox, Windows` for a browser's user agent; the first 40 characters for any other program; null if there is none. */
export function describeAgent(userAgent: string | null): string | null {
  if (userAgent === null || userAgent.trim() === '') return null;
  const found = [browsers, systems].flatMap((rows) => rows.find(([pattern]) => pattern.test(userAgent))?.[1] ?? []);
  return found.length > 0 ? found.join(', ') : userAgent.slice(0, 40);
}

const SESSIONS = '/v1/account/sessions';
const TERMS = '/v1/account/terms';

export function SessionsSection() {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const refresh = useRefreshAccount();
  const { data, failure } = useRecord('account', SESSIONS, sessionsAnswerSchema);
  const endOne = useCall((http, id: string) => http.delete(`${SESSIONS}/${encodeURIComponent(id)}`), { onSettled: refresh });
  const endAll = useCall((http) => http.delete(SESSIONS), {
    onSuccess: () => navigate('/login', { state: { signOut: 'everywhere' } }),
  });
  return (
    <Section title={t('account.sessions')}>
      <Failure sentence={failure ?? endOne.failure ?? endAll.failure} />
      <ul className="plain">
        {data?.sessions.map(({ id, userAgent, lastUsedAt, current }) => {
          const agent = describeAgent(userAgent) ?? t('account.unknownAgent');
          return (
            <li key={id} className={`cluster apart ${styles.session}`}>
              <span>
                <span className="strong">{agent}</span>
                <br />
                <span className="soft small">
                  {current ? t('account.thisSession') : t('account.lastUsed', { time: formatDate(lastUsedAt, i18n.language) })}
                </span>
              </span>
              {!current && (
                <Button aria-label={t('account.endSessionOf', { agent })} onClick={() => endOne.mutate(id)}>
                  {t('account.endSession')}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      <div className="cluster">
        <Button onClick={() => endAll.mutate()}>{t('account.endAll')}</Button>
      </div>
    </Section>
  );
}

export function KeepAudioSection({ retentionDays }: { readonly retentionDays: number }) {
  const { t } = useTranslation();
  const failureOf = useFailureSentence();
  const { setting, change } = useKeepAudioSetting();
  return (
    <Section title={t('account.keepAudio')}>
      <p>{t('account.keepAudioHelp')}</p>
      <Failure
        sentence={failureOf(setting.error ?? change.error)}
        onRetry={setting.isError ? () => void setting.refetch() : undefined}
      />
      <KeepAudioChoice
        value={change.isPending ? change.variables : (setting.data ?? null)}
        retentionDays={retentionDays}
        onChange={(choice) => change.mutate(choice)}
      />
      <span role="status" className="soft small">
        {change.isSuccess ? t('account.keepAudioSaved') : ''}
      </span>
    </Section>
  );
}

export function TermsSection() {
  const { t, i18n } = useTranslation();
  const refresh = useRefreshAccount();
  const version = termsVersion(usePublicConfig().data);
  const { data, failure } = useRecord('account', TERMS, termsAnswerSchema);
  const agree = useCall((http) => http.post(TERMS, { version }), { onSettled: refresh });
  const present = data?.accepted.find((acceptance) => acceptance.version === version);
  const date = present && formatDate(present.acceptedAt, i18n.language, { dateStyle: 'long' });
  return (
    <Section title={t('landing.terms')}>
      <Failure sentence={failure ?? agree.failure} />
      {data && (
        <p>
          {present ? t('account.agreed', { date }) : t('account.notAgreed')} <Link to="/toc">{t('account.readTerms')}</Link>
        </p>
      )}
      {data && !present && (
        <div className="cluster">
          <Button look="main" onClick={() => agree.mutate()}>
            {t('account.agree')}
          </Button>
        </div>
      )}
    </Section>
  );
}

export function ExportSection() {
  const { t } = useTranslation();
  const save = useCall((http) => ask(http, accountExportSchema, { url: '/v1/account/export' }), {
    onSuccess: (everything) => saveFile('chiffchaff-account.json', JSON.stringify(everything, null, 2)),
  });
  return (
    <Section title={t('account.export')} anchor="data">
      <p>{t('account.exportHelp')}</p>
      <Failure sentence={save.failure} />
      <div className="cluster">
        <Button isDisabled={save.isPending} onClick={() => save.mutate()}>
          {t('table.download')}
        </Button>
        <span role="status" className="soft small">
          {save.isSuccess ? t('account.exported') : ''}
        </span>
      </div>
    </Section>
  );
}

/** All public links of the account; each can be revoked. */
export function LinksSection() {
  const { t, i18n } = useTranslation();
  const { links, failure, revoke } = useLinks();
  return (
    <Section title={t('share.links')} anchor="links">
      <p className="soft small">{links?.length === 0 ? t('share.noLinks') : t('share.linksHelp')}</p>
      {revoke.isSuccess && <Done>{t('share.revoked')}</Done>}
      <Failure sentence={failure ?? revoke.failure} />
      <ul className="plain">
        {links?.map(({ id, predictionId, createdAt, sound, commonNames, fileName }) => {
          const name = commonNames.length > 0 ? formatList(commonNames, i18n.language) : (fileName ?? t('answer.noName'));
          return (
            <li key={id} className={`cluster apart ${styles.session}`}>
              <span>
                <Link to={`/history/${encodeURIComponent(predictionId)}`}>{name}</Link>
                <br />
                <span className="soft small">
                  {t(sound ? 'share.madeWithSound' : 'share.made', { date: formatDate(createdAt, i18n.language) })}
                </span>
              </span>
              <AskFirst
                aria-label={t('share.revokeOf', { link: name })}
                question={t('share.revokeAsk')}
                yes={t('share.revoke')}
                onYes={() => revoke.mutate(id)}
              >
                {t('share.revoke')}
              </AskFirst>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

/** Deletes all predictions after a confirmation; then the undo notice takes the focus. */
export function ResultsSection() {
  const { t } = useTranslation();
  const remove = useDeletion();
  return (
    <Section title={t('history.deleteAllTitle')}>
      <p>{t('history.deleteAllText')}</p>
      <Failure sentence={remove.failure} />
      <div className="cluster">
        <AskFirst
          icon={IconTrash}
          look="destructive"
          question={t('history.deleteAllAsk')}
          help={t('history.deleteAllHelp')}
          yes={t('history.deleteAllYes')}
          no={t('history.keepAll')}
          onYes={() => remove.mutate(null)}
        >
          {t('history.deleteAll')}
        </AskFirst>
      </div>
    </Section>
  );
}

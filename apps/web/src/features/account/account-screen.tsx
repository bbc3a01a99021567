import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import { identitySentence } from '../../platform/identity/identity-sentence.ts';
import { Notice } from '../../ui/notice.tsx';
import { useHashTarget } from '../../ui/use-hash-target.ts';
import styles from './account.module.css';
import { ApiTokensSection } from './sections/api-tokens-section.tsx';
import { DeviceModelSection } from './sections/device-model-section.tsx';
import { DeleteSection, DisplayNameSection, EmailSection, PasswordSection } from './sections/identity-sections.tsx';
import { ExportSection, KeepAudioSection, LinksSection, SessionsSection, TermsSection } from './sections/record-sections.tsx';
import { ResultsSection } from './sections/results-section.tsx';
import { useProfile } from './use-account.ts';

const furtherDown = [
  ['links', 'share.links'],
  ['data', 'account.export'],
  ['delete', 'account.delete'],
] as const;

/** `/account`: data and settings of the signed-in account. */
export function AccountScreen() {
  const { t } = useTranslation();
  const { data: profile, error, refetch } = useProfile();
  const { data: config } = usePublicConfig();
  useHashTarget(profile);
  if (!config) return null; // the gate opens only with a configuration
  return (
    <div className={`stack measure ${styles.screen}`}>
      <title>{t('title.account')}</title>
      <h1>{t('account.title')}</h1>
      {error && <Notice tone="warning" title={identitySentence(error.message, t)} announce onRetry={() => void refetch()} />}
      {profile && (
        <>
          <p className="cluster">
            {furtherDown.map(([anchor, title]) => (
              <Link key={anchor} to={`#${anchor}`} className="link">
                {t(title)}
              </Link>
            ))}
          </p>
          <EmailSection profile={profile} canMail={config.identity.mailAvailable} />
          <DisplayNameSection key={profile.displayName} profile={profile} />
          <PasswordSection email={profile.email} />
          {config.identity.mode === 'embedded' && <SessionsSection />}
          <KeepAudioSection retentionDays={config.retentionDays} />
          <ApiTokensSection email={profile.email} isEmbedded={config.identity.mode === 'embedded'} />
          <LinksSection />
          <DeviceModelSection />
          <TermsSection />
          <ExportSection />
          <ResultsSection />
          <DeleteSection email={profile.email} isEmbedded={config.identity.mode === 'embedded'} />
        </>
      )}
    </div>
  );
}

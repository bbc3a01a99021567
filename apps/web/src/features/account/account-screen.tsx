import { Link } from 'react-router';
import { useTranslation } from '../../languages/i18n.ts';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import { useStore } from '../../platform/browser/store.ts';
import { formatBytes } from '../../platform/format/format.ts';
import { identitySentence } from '../../platform/identity/identity-sentence.ts';
import { deviceModel } from '../../platform/on-device/device-model.ts';
import { Button } from '../../ui/button.tsx';
import { DeviceModelGate, DownloadButton, ModelTerms } from '../../ui/device-model-gate.tsx';
import { Failure } from '../../ui/notice.tsx';
import { useHashTarget } from '../../ui/use-hash-target.ts';
import styles from './account.module.css';
import { ApiTokensSection } from './sections/api-tokens-section.tsx';
import { DeleteSection, DisplayNameSection, EmailSection, PasswordSection } from './sections/identity-sections.tsx';
import {
  ExportSection,
  KeepAudioSection,
  LinksSection,
  ResultsSection,
  SessionsSection,
  TermsSection,
} from './sections/record-sections.tsx';
import { Section } from './sections/section.tsx';
import { useProfile } from './use-account.ts';

/** The model on this device: whether it is installed, its size, and how to remove it. */
function DeviceModelSection() {
  const { t, i18n } = useTranslation();
  const state = useStore(deviceModel);
  return (
    <Section title={t('device.title')}>
      <DeviceModelGate>
        {state.kind === 'installed' && (
          <>
            <p>{t('device.installed', { size: formatBytes(state.bytes, i18n.language) })}</p>
            {state.hasUpdate && <DownloadButton bytes={state.bytes} label="update" />}
            <p>
              <Button onClick={() => void deviceModel.remove()}>{t('device.remove')}</Button>
            </p>
            <ModelTerms />
          </>
        )}
      </DeviceModelGate>
    </Section>
  );
}

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
      <Failure sentence={error && identitySentence(error.message, t)} onRetry={() => void refetch()} />
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

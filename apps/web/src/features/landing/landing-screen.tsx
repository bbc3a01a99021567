import { IconMicrophone } from '@tabler/icons-react';
import { Link, useLocation, useNavigate } from 'react-router';
import { useTranslation } from '../../languages/i18n.ts';
import { RichText } from '../../languages/rich-text.tsx';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import { useScreenShown } from '../../platform/browser/store.ts';
import { isAdmitted, type Session, useSession, useTermsTick } from '../../platform/session/session-context.tsx';
import { Button } from '../../ui/button.tsx';
import { CheckBox } from '../../ui/form/check-box.tsx';
import { useHashTarget } from '../../ui/use-hash-target.ts';
import { WhyHere } from '../../ui/why-here.tsx';
import { Example } from './example/example.tsx';
import { Hero } from './hero.tsx';
import styles from './landing.module.css';

/** Where visitors who have agreed go on. */
const pathIn = ({ kind }: Session) => (kind === 'signedOut' ? '/login' : '/process');

const BOX = 'upload';

/** The way in for this visitor. */
function WayIn({ session }: { readonly session: Session }) {
  const { t } = useTranslation();
  if (session.kind === 'unknown') return <p>{t('landing.waiting')}</p>;
  if (session.kind === 'unreachable')
    return (
      <p>
        {t('landing.unreachable')} <Button onClick={session.retry}>{t('action.tryAgain')}</Button>
      </p>
    );
  return (
    <Link to={pathIn(session)} className="button button-secondary">
      {t(isAdmitted(session) ? 'landing.start' : 'layout.login')}
    </Link>
  );
}

/** The agreement, and the way in while it is ticked. Those who came by the link for uploading go on as they tick it. */
function Gate({ session }: { readonly session: Session }) {
  const { t } = useTranslation();
  const [isTicked, setTicked] = useTermsTick();
  const isUploading = useLocation().hash === `#${BOX}`;
  const navigate = useNavigate();
  const tick = (next: boolean) => {
    setTicked(next);
    if (next && isUploading) void navigate(pathIn(session));
  };
  return (
    <div>
      <CheckBox id={BOX} name="terms" checked={isTicked} onChange={tick}>
        <RichText text={t('landing.agree')} tags={{ terms: <Link to="/toc" />, privacy: <Link to="/toc#privacy" /> }} />
      </CheckBox>
      <div className={`line ${styles.wayIn}`} aria-live="polite">
        {isTicked ? (
          <WayIn session={session} />
        ) : isUploading ? (
          <p className="strong">{t(session.kind === 'signedOut' ? 'landing.tickToSignIn' : 'landing.tickToGoOn')}</p>
        ) : (
          <p>{t(session.kind === 'notNeeded' ? 'landing.agreeFirstOpen' : 'landing.agreeFirst')}</p>
        )}
      </div>
    </div>
  );
}

export function LandingScreen() {
  const { t } = useTranslation();
  const session = useSession();
  const { data: config } = usePublicConfig();
  const [isTicked] = useTermsTick();
  useHashTarget(null);
  useScreenShown();
  return (
    <>
      <title>{t('title.landing')}</title>
      {session.kind !== 'signedIn' && <WhyHere />}
      <section className={styles.opening}>
        <div className={`stack ${styles.words}`}>
          <h1>{t('landing.headline')}</h1>
          <div className="cluster">
            {/* Nothing is sent, so nothing has to be agreed to. */}
            <Link to="/listen" className={`button ${styles.listen}`}>
              <IconMicrophone aria-hidden="true" />
              {t('landing.listenNow')}
            </Link>
            <Link to={isTicked ? pathIn(session) : `#${BOX}`} className="button button-secondary">
              {t('landing.upload')}
            </Link>
          </div>
          <p>{t('landing.stays')}</p>
          <p>{t('landing.intro')}</p>
          <Gate session={session} />
        </div>
        <Hero />
      </section>
      <Example />
      <div className={styles.notes}>
        <section aria-labelledby="recordings" className="stack-tight">
          <h2 id="recordings">{t('landing.recordingsTitle')}</h2>
          <p>
            <RichText text={t('landing.recordings')} tags={{ privacy: <Link to="/toc#privacy" /> }} />
          </p>
        </section>
        <section aria-labelledby="model" className="stack-tight">
          <h2 id="model">{t('layout.poweredBy')}</h2>
          <p>
            {t('landing.model', {
              version: `V${config?.model?.version ?? '2.4'}`,
              licence: config?.model?.licence ?? 'CC BY-NC-SA 4.0',
            })}
          </p>
          <p>
            <Link to="/about">{t('landing.moreAbout')}</Link>
          </p>
        </section>
      </div>
    </>
  );
}

import { IconArrowRight } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import { isAdmitted, type Session, useSession } from '../../platform/session/session-context.tsx';
import { Button } from '../../ui/button.tsx';
import { Example } from './example/example.tsx';
import { Hero } from './hero.tsx';
import styles from './landing.module.css';

interface GateProperties {
  readonly session: Session;
}

/** The way in for this visitor. */
function WayIn({ session }: GateProperties) {
  const { t } = useTranslation();
  if (session.kind === 'unknown') return <p>{t('landing.waiting')}</p>;
  if (session.kind === 'unreachable')
    return (
      <p>
        {t('landing.unreachable')} <Button onClick={session.retry}>{t('action.tryAgain')}</Button>
      </p>
    );
  const [to, label] = isAdmitted(session)
    ? (['/process', t('landing.start')] as const)
    : (['/login', t('landing.login')] as const);
  return (
    <Link to={to} className="button">
      {label}
      <IconArrowRight aria-hidden="true" />
    </Link>
  );
}

/** The agreement, and the way in while it is ticked. Nothing is stored. */
function Gate({ session }: GateProperties) {
  const { t } = useTranslation();
  const [accepted, setAccepted] = useState(false);
  const boxId = useId();
  return (
    <div className={styles.gate}>
      <div className={styles.agreement}>
        <input id={boxId} type="checkbox" checked={accepted} onChange={({ target }) => setAccepted(target.checked)} />
        <label htmlFor={boxId}>
          <Trans t={t} i18nKey="landing.agree" components={{ terms: <Link to="/toc" />, privacy: <Link to="/toc#privacy" /> }} />
        </label>
      </div>
      <div className={styles.wayIn} aria-live="polite">
        {accepted ? (
          <>
            <WayIn session={session} />
            <Link to="/listen" className="button button-secondary">
              {t('landing.listenNow')}
            </Link>
          </>
        ) : (
          <p className={styles.hint}>{t(session.kind === 'notNeeded' ? 'landing.agreeFirstOpen' : 'landing.agreeFirst')}</p>
        )}
      </div>
    </div>
  );
}

const steps = [
  { title: 'landing.sendTitle', text: 'landing.send' },
  { title: 'landing.listenTitle', text: 'landing.listen' },
  { title: 'landing.checkTitle', text: 'landing.check' },
] as const;

export function LandingScreen() {
  const { t } = useTranslation();
  const session = useSession();
  const { data: config } = usePublicConfig();
  return (
    <>
      <title>{t('title.landing')}</title>
      <section className={styles.opening}>
        <div className={styles.words}>
          <h1>{t('landing.headline')}</h1>
          <p className={styles.intro}>{t('landing.intro')}</p>
          <Gate session={session} />
        </div>
        <div className={styles.picture}>
          <Hero />
        </div>
      </section>
      <Example />
      <section aria-labelledby="how" className={styles.how}>
        <h2 id="how">{t('landing.howTitle')}</h2>
        <ol className={styles.steps}>
          {steps.map(({ title, text }) => (
            <li key={title}>
              <h3>{t(title)}</h3>
              <p>{t(text)}</p>
            </li>
          ))}
        </ol>
      </section>
      <div className={styles.notes}>
        <section aria-labelledby="recordings">
          <h2 id="recordings">{t('landing.recordingsTitle')}</h2>
          <p>
            <Trans t={t} i18nKey="landing.recordings" components={{ privacy: <Link to="/toc#privacy" /> }} />
          </p>
        </section>
        <section aria-labelledby="model">
          <h2 id="model">{t('landing.modelTitle')}</h2>
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

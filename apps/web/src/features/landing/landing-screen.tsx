import { Trans, useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import { useSession } from '../../platform/session/session.ts';
import { Example } from './example/example.tsx';
import { Gate } from './gate.tsx';
import { Hero } from './hero.tsx';
import styles from './landing.module.css';

const steps = [
  { title: 'landing.sendTitle', text: 'landing.send' },
  { title: 'landing.listenTitle', text: 'landing.listen' },
  { title: 'landing.checkTitle', text: 'landing.check' },
] as const;

/** `/`: what this is, the gate, how it works, what happens to recordings, and who made the model. */
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

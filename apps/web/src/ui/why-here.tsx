import { Link, useLocation } from 'react-router';
import { type Strings, useTranslation } from '../languages/i18n.ts';
import styles from './why-here.module.css';

/** Says in one line why a visitor was led here instead of to the address that was asked for. */
export function WhyHere() {
  const { t } = useTranslation();
  const { pathname, state } = useLocation();
  const why: keyof Strings['whyHere'] | undefined = state?.why;
  if (why === undefined) return null;
  return (
    <p role="status" className={`strong ${styles.why}`}>
      {t(`whyHere.${why}`)} {why !== 'nowhere' && pathname !== '/login' && <Link to="/login">{t('session.signIn')}</Link>}
    </p>
  );
}

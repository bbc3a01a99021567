import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { EmptyScreen } from './empty-screen.tsx';
import styles from './prose.module.css';

/** Replaces a screen that needs the server while the server is unreachable; links to what works offline. */
export function OfflineScreen() {
  const { t } = useTranslation();
  return (
    <div className={styles.prose}>
      <title>{t('title.offline')}</title>
      <h1>{t('offline.title')}</h1>
      <p>{t('offline.text')}</p>
      <p>{t('offline.works')}</p>
      <ul>
        <li>
          <Link to="/">{t('offline.home')}</Link>
        </li>
        <li>
          <Link to="/listen">{t('layout.listen')}</Link>
        </li>
        <li>
          <Link to="/toc">{t('landing.terms')}</Link>
        </li>
        <li>
          <Link to="/about">{t('layout.about')}</Link>
        </li>
      </ul>
    </div>
  );
}

export function NotFoundScreen() {
  const { t } = useTranslation();
  return (
    <EmptyScreen title={t('notFound.title')} text={t('notFound.text')}>
      <title>{t('title.notFound')}</title>
      <Link to="/" className="button">
        {t('notFound.home')}
      </Link>
    </EmptyScreen>
  );
}

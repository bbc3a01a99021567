import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { EmptyScreen } from './empty-screen.tsx';
import styles from './prose.module.css';

const offlineScreens = [
  ['/', 'offline.home'],
  ['/listen', 'layout.listen'],
  ['/toc', 'landing.terms'],
  ['/about', 'layout.about'],
] as const;

/** Replaces a screen that needs the server while the server is unreachable; links to what works offline. */
export function OfflineScreen() {
  const { t } = useTranslation();
  return (
    <EmptyScreen title={t('offline.title')} text={t('offline.text')}>
      <title>{t('title.offline')}</title>
      <div className={`stack measure ${styles.prose}`}>
        <p>{t('offline.works')}</p>
        <ul>
          {offlineScreens.map(([path, name]) => (
            <li key={path}>
              <Link to={path}>{t(name)}</Link>
            </li>
          ))}
        </ul>
      </div>
    </EmptyScreen>
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

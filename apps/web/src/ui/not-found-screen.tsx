import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import styles from './prose.module.css';

/** For addresses that lead nowhere. */
export function NotFoundScreen() {
  const { t } = useTranslation();
  return (
    <div className={styles.prose}>
      <title>{t('title.notFound')}</title>
      <h1>{t('notFound.title')}</h1>
      <p>{t('notFound.text')}</p>
      <p>
        <Link to="/">{t('notFound.home')}</Link>
      </p>
    </div>
  );
}

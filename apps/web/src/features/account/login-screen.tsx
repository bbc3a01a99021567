import { useTranslation } from 'react-i18next';
import { Notice } from '../../ui/notice.tsx';
import styles from '../../ui/prose.module.css';

/** `/login`: keeps the place of sign-in until accounts exist, and says so. */
export function LoginScreen() {
  const { t } = useTranslation();
  return (
    <div className={styles.prose}>
      <title>{t('title.login')}</title>
      <h1>{t('login.title')}</h1>
      <Notice tone="information" title={t('login.soonTitle')}>
        <p>{t('login.soon')}</p>
      </Notice>
    </div>
  );
}

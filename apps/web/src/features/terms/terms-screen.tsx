import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';
import { Notice } from '../../ui/notice.tsx';
import styles from '../../ui/prose.module.css';

/** `/toc`: keeps the place of the terms, and says so. The privacy policy has its own anchor. */
export function TermsScreen() {
  const { t } = useTranslation();
  const { hash } = useLocation();

  useEffect(() => {
    if (hash) document.getElementById(hash.slice(1))?.scrollIntoView();
  }, [hash]);

  return (
    <article className={styles.prose}>
      <title>{t('title.terms')}</title>
      <h1>{t('terms.title')}</h1>
      <Notice tone="information" title={t('terms.placeholderTitle')}>
        <p>{t('terms.placeholder')}</p>
      </Notice>
      <h2>{t('terms.useTitle')}</h2>
      <p>{t('terms.use')}</p>
      <h2 id="privacy">{t('terms.privacyTitle')}</h2>
      <p>{t('terms.privacy')}</p>
    </article>
  );
}

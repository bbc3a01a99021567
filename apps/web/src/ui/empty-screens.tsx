import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useTranslation } from '../languages/i18n.ts';
import { useScreenShown } from '../platform/browser/store.ts';
import styles from './empty-screens.module.css';
import prose from './prose.module.css';
import { Notes } from './wordmark.tsx';

interface Properties {
  readonly title: string;
  readonly text: string;
  /** that of what appears on its own */
  readonly role?: 'alert';
  /** the next step: a button or a link in its look */
  readonly children: ReactNode;
}

/**
 * A screen with nothing on it: a bare branch with the two notes of a bird that is not there, one sentence and one next step. The drawing
 * is part of the page, so that it appears when nothing else can be loaded.
 */
export function EmptyScreen({ title, text, role, children }: Properties) {
  useScreenShown();
  return (
    <div className={`stack measure start ${styles.empty}`} role={role}>
      <Notes className={styles.notes} />
      <svg viewBox="0 0 100 35" aria-hidden="true">
        <path d="M1 31q48-3 98-19M29 28q4-9 14-13M56 24q9 4 20 2M75 19q3-7 10-12" />
      </svg>
      <h1>{title}</h1>
      <p>{text}</p>
      {children}
    </div>
  );
}

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
      <div className={`stack measure ${prose.prose}`}>
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

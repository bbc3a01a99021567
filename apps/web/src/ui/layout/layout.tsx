import { IconMenu2 } from '@tabler/icons-react';
import { type ComponentType, type MouseEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Link, NavLink, useLocation } from 'react-router';
import { interfaceLanguages, speak, useTranslation } from '../../languages/i18n.ts';
import { type Preferences, preferences, usePreferences } from '../../platform/storage/preferences.ts';
import { keysShown } from '../keys/keys-shown.ts';
import { Modal } from '../modal.tsx';
import { Wordmark } from '../wordmark.tsx';
import styles from './layout.module.css';

export interface NavigationItem {
  readonly to: string;
  readonly label: string;
  /** Items with a picture stand at the bottom edge of a phone; the drawer has all. */
  readonly icon?: ComponentType<{ readonly 'aria-hidden': true }>;
  readonly state?: { readonly [name: string]: string };
}

interface Properties {
  readonly items: readonly NavigationItem[];
  readonly notices?: ReactNode;
  readonly children: ReactNode;
}

/** NavLink sets `aria-current="page"` on the active item; the style follows that attribute. */
function NavigationList({ items, onChosen }: Pick<Properties, 'items'> & { readonly onChosen?: () => void }) {
  return (
    <ul className={`plain ${styles.items}`}>
      {items.map(({ to, label, state, icon: Icon }) => (
        <li key={to}>
          <NavLink to={to} state={state} className={`line finger ${styles.item}`} onClick={onChosen}>
            {Icon && <Icon aria-hidden />}
            {label}
          </NavLink>
        </li>
      ))}
    </ul>
  );
}

const themes: readonly Preferences['theme'][] = ['system', 'light', 'dark'];

function PreferenceChoices({ onKeys }: { readonly onKeys: () => void }) {
  const { t, i18n } = useTranslation();
  const { theme } = usePreferences();
  const themeId = useId();
  const languageId = useId();
  return (
    <div className="stack-tight">
      <span className={styles.choice}>
        <label htmlFor={themeId}>{t('preferences.theme')}</label>
        <select
          id={themeId}
          value={theme}
          onChange={({ target }) => preferences.change({ theme: themes.find((known) => known === target.value) ?? 'system' })}
        >
          {themes.map((known) => (
            <option key={known} value={known}>
              {t(`preferences.${known}`)}
            </option>
          ))}
        </select>
      </span>
      <span className={styles.choice}>
        <label htmlFor={languageId}>{t('preferences.language')}</label>
        <select
          id={languageId}
          value={i18n.language}
          onChange={({ target }) => {
            preferences.change({ language: target.value });
            void speak(target.value);
          }}
        >
          {interfaceLanguages.map(({ code, name }) => (
            <option key={code} value={code} lang={code}>
              {name}
            </option>
          ))}
        </select>
      </span>
      {/* Touch screens have no keys. */}
      <button type="button" className={`link ${styles.keys}`} onClick={onKeys}>
        {t('preferences.keys')}
      </button>
    </div>
  );
}

export function Layout({ items, notices, children }: Properties) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const [isDrawerOpen, setIsDrawerOpen] = useState(false);
  const closeDrawer = () => setIsDrawerOpen(false);
  const main = useRef<HTMLElement>(null);
  const shownPath = useRef(pathname);

  useEffect(() => {
    if (shownPath.current === pathname) return;
    shownPath.current = pathname;
    setIsDrawerOpen(false);
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [pathname]);

  // Named as its heading, which may still be loading, so that screen readers say where the focus has come to.
  useEffect(() => {
    const name = () => {
      const heading = main.current?.querySelector('h1')?.textContent;
      if (heading) main.current?.setAttribute('aria-label', heading);
      else main.current?.removeAttribute('aria-label');
    };
    const follow = new MutationObserver(name);
    if (main.current) follow.observe(main.current, { childList: true, subtree: true, characterData: true });
    name();
    return () => follow.disconnect();
  }, []);

  /** By hand, because a new address would open the screen anew. */
  const skip = (event: MouseEvent<HTMLAnchorElement>) => {
    event.preventDefault();
    main.current?.focus();
    main.current?.scrollIntoView();
  };

  return (
    <div className={styles.page}>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to the content; only the address stays */}
      <a className={`unprinted ${styles.skip}`} href="#main" onClick={skip}>
        {t('layout.skip')}
      </a>
      <header className={`apart unprinted ${styles.toolbar}`}>
        <Link to="/" className={styles.home}>
          <Wordmark />
        </Link>
        <nav aria-label={t('layout.navigation')}>
          <NavigationList items={items} />
        </nav>
        <button
          type="button"
          className="icon-button"
          aria-label={t('layout.menu')}
          aria-haspopup="dialog"
          onClick={() => setIsDrawerOpen(true)}
        >
          <IconMenu2 aria-hidden="true" />
        </button>
      </header>
      {isDrawerOpen && (
        <Modal title={t('layout.menu')} className={styles.drawer} onClose={closeDrawer}>
          <nav aria-label={t('layout.navigation')}>
            {/* The page that is open already can be chosen, too. */}
            <NavigationList items={items} onChosen={closeDrawer} />
          </nav>
          <PreferenceChoices
            onKeys={() => {
              closeDrawer();
              keysShown.set(true);
            }}
          />
        </Modal>
      )}
      <main id="main" ref={main} tabIndex={-1} className={styles.main}>
        {notices}
        {children}
      </main>
      <footer className={`soft small unprinted ${styles.footer}`}>
        <p>
          {t('layout.poweredBy')} · <Link to="/about">{t('layout.about')}</Link> · <Link to="/toc">{t('landing.terms')}</Link> ·{' '}
          <a href="/docs/api">API</a>
        </p>
      </footer>
      <nav aria-label={t('layout.navigation')} className={styles.bottom}>
        <NavigationList items={items.filter(({ icon }) => icon)} />
      </nav>
    </div>
  );
}

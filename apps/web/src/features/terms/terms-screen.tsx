import type { PublicTerms } from '@chiffchaff/contract';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import { dateLocale } from '../../platform/format/format.ts';
import { TERMS_VERSION } from '../../platform/session/terms-version.ts';
import { importOnce, LoadFailed } from '../../ui/lazy-screen.tsx';
import { Notice } from '../../ui/notice.tsx';
import styles from './terms.module.css';

export type Blank = keyof PublicTerms | 'retentionDays';

/** The terms in one language. A text may have blanks, `{siteName}`, and links within the site, `[the words](/about)`. */
export interface TermsText {
  readonly inShort: readonly string[];
  readonly sections: readonly TermsSection[];
}

export interface TermsSection {
  /** Anchor, the same in every language. */
  readonly id: string;
  readonly title: string;
  /** Paragraphs, and lists where a paragraph would hide what matters. */
  readonly body: readonly (string | { readonly list: readonly string[] })[];
}

/** A blank `{name}` or a link `[words](target)`. */
const special = /\{(\w+)\}|\[([^\]]+)\]\(([^)]+)\)/g;

function FilledBlank({ name }: { readonly name: Blank }) {
  const { t, i18n } = useTranslation();
  const { data: config, isError } = usePublicConfig();
  if (!config) return isError ? <span className={styles.unset}>{t('terms.unknown')}</span> : '…';
  if (name === 'retentionDays') return String(config.retentionDays);
  const value = config.terms[name];
  if (value === null) return <mark className={styles.unset}>{t('terms.unset')}</mark>;
  if (name === 'effectiveDate')
    return new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(value));
  return value;
}

/** A text of the terms with the deployment's values in its blanks. Values are text, whatever stands in them. */
function FilledText({ text }: { readonly text: string }) {
  const parts = [...text.matchAll(special)];
  const rest = parts.map((part, index) => {
    const end = part.index + part[0].length;
    const [, blank, words, target = ''] = part;
    return (
      <Fragment key={part.index}>
        {blank === undefined ? <Link to={target}>{words}</Link> : <FilledBlank name={blank as Blank} />}
        {text.slice(end, parts[index + 1]?.index)}
      </Fragment>
    );
  });
  return (
    <>
      {text.slice(0, parts[0]?.index)}
      {rest}
    </>
  );
}

const texts: { readonly [language: string]: () => Promise<{ readonly default: TermsText }> } = {
  en: () => import('./text/en.json'),
  de: () => import('./text/de.json'),
};

const termsQuery = (language: string) =>
  importOnce(`The text of the terms (${language})`, texts[language] ?? (() => import('./text/en.json')));

function Section({ section: { id, title, body } }: { readonly section: TermsSection }) {
  return (
    <section aria-labelledby={id} className={styles.section}>
      <h2 id={id} tabIndex={-1}>
        {title}
      </h2>
      {body.map((block) =>
        typeof block === 'string' ? (
          <p key={block}>
            <FilledText text={block} />
          </p>
        ) : (
          <ul key={block.list[0]}>
            {block.list.map((entry) => (
              <li key={entry}>
                <FilledText text={entry} />
              </li>
            ))}
          </ul>
        ),
      )}
    </section>
  );
}

function Terms({ text }: { readonly text: TermsText }) {
  const { t } = useTranslation();
  const { hash, key } = useLocation();

  // A link within the page leads the keyboard there, too; following the same link twice scrolls twice.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` differs each time a link is followed
  useEffect(() => {
    const target = hash === '' ? null : document.getElementById(decodeURIComponent(hash.slice(1)));
    target?.scrollIntoView();
    target?.focus({ preventScroll: true });
  }, [hash, key, text]);

  return (
    <div className={styles.columns}>
      <nav aria-labelledby="contents" className={styles.contents}>
        <h2 id="contents">{t('terms.contents')}</h2>
        <ol>
          {text.sections.map(({ id, title }) => (
            <li key={id}>
              <Link to={`#${id}`}>{title}</Link>
            </li>
          ))}
        </ol>
      </nav>
      <div className={styles.text}>
        <section aria-labelledby="in-short" className={styles.inShort}>
          <h2 id="in-short">{t('terms.inShort')}</h2>
          <ul>
            {text.inShort.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </section>
        {text.sections.map((section) => (
          <Section key={section.id} section={section} />
        ))}
      </div>
    </div>
  );
}

/** `/toc`: the terms, with the privacy policy as one of their sections and the deployment's values in the blanks. */
export function TermsScreen() {
  const { t, i18n } = useTranslation();
  const { data: config, isLoading, failureCount } = usePublicConfig();
  const language = Object.hasOwn(texts, i18n.language) ? i18n.language : 'en';
  const { data, isError: failed, isFetching, refetch } = useQuery(termsQuery(language));
  // The notice about blanks stands above the text: what is being read does not move, so the text waits until that is known.
  const text = isLoading && failureCount === 0 ? null : (data?.module.default ?? null);
  const isAwaited = text === null && (!failed || isFetching);
  const hasBlanks = config !== undefined && Object.values(config.terms).includes(null);
  return (
    <article className={isAwaited ? `awaited ${styles.terms}` : styles.terms} aria-busy={isAwaited}>
      <title>{t('title.terms')}</title>
      <header className={styles.head}>
        <h1>{t('terms.title')}</h1>
        <p className={styles.version}>{t('terms.version', { version: TERMS_VERSION })}</p>
        {hasBlanks && (
          <Notice tone="information" title={t('terms.blanksTitle')}>
            <p>{t('terms.blanks')}</p>
          </Notice>
        )}
      </header>
      {failed && !isFetching && <LoadFailed onRetry={() => void refetch()} />}
      {isAwaited && (
        <p role="status" className="visually-hidden">
          {t('screen.loading')}
        </p>
      )}
      {text !== null && (
        <div lang={language}>
          <Terms text={text} />
        </div>
      )}
    </article>
  );
}

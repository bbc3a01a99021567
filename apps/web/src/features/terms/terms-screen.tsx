import { missingTerms, OPTIONAL_BLANK, type PublicConfig, type PublicTerms } from '@chiffchaff/contract';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { Link } from 'react-router';
import { useTranslation } from '../../languages/i18n.ts';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import { formatDate } from '../../platform/format/format.ts';
import { termsVersion } from '../../platform/session/terms-version.ts';
import { importOnce, LoadFailed } from '../../ui/lazy-screen.tsx';
import { useHashTarget } from '../../ui/use-hash-target.ts';
import styles from './terms.module.css';

export type Blank = keyof PublicTerms | 'retentionDays';

/** The terms in one language. A text may contain blanks, `{siteName}`, and links within the site, `[the words](/about)`. */
export interface TermsText {
  readonly inShort: readonly string[];
  /** Shown instead of the sections until the operator has filled in their blanks. */
  readonly untilFilled: readonly string[];
  readonly sections: readonly TermsSection[];
}

export interface TermsSection {
  /** Anchor, the same in every language. */
  readonly id: string;
  readonly title: string;
  /** Paragraphs, some below a heading of their own, and lists where a paragraph would hide what matters. */
  readonly body: readonly (string | { readonly heading: string; readonly text: string } | { readonly list: readonly string[] })[];
}

/** A blank `{name}` or a link `[words](target)`. */
const special = /\{(\w+)\}|\[([^\]]+)\]\(([^)]+)\)/g;

/** Values of the blanks; null if they are not known, as offline. */
type Values = Pick<PublicConfig, 'terms' | 'retentionDays'> | null;

interface Filled {
  readonly values: Values;
}

function FilledBlank({ name, values }: Filled & { readonly name: Blank }) {
  const { t, i18n } = useTranslation();
  if (!values) return <span className={styles.unset}>{t('terms.unknown')}</span>;
  if (name === 'retentionDays') return String(values.retentionDays);
  const value = values.terms[name];
  if (value === null) return <mark className={styles.unset}>{t('terms.unset')}</mark>;
  if (name === 'effectiveDate') return formatDate(value, i18n.language, { dateStyle: 'long' });
  return value;
}

/** A text of the terms with the deployment's values in its blanks. Values are always rendered as plain text. */
function FilledText({ text, values }: Filled & { readonly text: string }) {
  const parts = [...text.matchAll(special)];
  const rest = parts.map((part, index) => {
    const end = part.index + part[0].length;
    const [, blank, words, target = ''] = part;
    return (
      <Fragment key={part.index}>
        {blank === undefined ? <Link to={target}>{words}</Link> : <FilledBlank name={blank as Blank} values={values} />}
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

type ImportText = () => Promise<{ readonly default: TermsText }>;
const texts: { readonly [language: string]: ImportText; readonly en: ImportText } = {
  en: () => import('./text/en.json'),
  de: () => import('./text/de.json'),
};

/** The text of the terms in the interface's language, or in English. */
function useTermsText() {
  const { i18n } = useTranslation();
  const language = Object.hasOwn(texts, i18n.language) ? i18n.language : 'en';
  const query = useQuery(importOnce(`The text of the terms (${language})`, texts[language] ?? texts.en));
  return { ...query, language, text: query.data?.module.default };
}

interface SectionProperties extends Filled {
  readonly section: TermsSection;
  /** Blanks without whose value a paragraph or list entry is left out. */
  readonly leftOut: readonly string[];
}

function Section({ section: { id, title, body }, values, leftOut }: SectionProperties) {
  const isEmpty = (blank: string) => leftOut.includes(blank) && values?.terms[blank as keyof PublicTerms] === null;
  const isShown = (text: string) => ![...text.matchAll(special)].some(([, blank = '']) => isEmpty(blank));
  return (
    <section aria-labelledby={id} className={`stack-tight ${styles.section}`}>
      <h2 id={id} tabIndex={-1}>
        {title}
      </h2>
      {body.map((block) => {
        if (typeof block === 'object' && 'list' in block)
          return (
            <ul key={block.list[0]}>
              {block.list.filter(isShown).map((entry) => (
                <li key={entry}>
                  <FilledText text={entry} values={values} />
                </li>
              ))}
            </ul>
          );
        const { heading, text } = typeof block === 'string' ? { heading: null, text: block } : block;
        if (!isShown(text)) return null;
        return (
          <div key={text}>
            {heading !== null && <h3>{heading}</h3>}
            <p>
              <FilledText text={text} values={values} />
            </p>
          </div>
        );
      })}
    </section>
  );
}

interface TermsProperties extends Filled {
  readonly text: TermsText;
  readonly isIncomplete: boolean;
}

/**
 * All sections, with a table of contents. Instead of incomplete terms: a short text, and what applies to visitors of every server: from
 * which age, and the privacy policy.
 */
function Terms({ text, values, isIncomplete }: TermsProperties) {
  const { t } = useTranslation();
  useHashTarget(text);
  const sections = isIncomplete ? text.sections.filter(({ id }) => id === 'age' || id === 'privacy') : text.sections;
  const leftOut = isIncomplete ? Object.keys(values?.terms ?? {}) : [OPTIONAL_BLANK];
  const body = (
    <div className={styles.text}>
      {isIncomplete && text.untilFilled.map((paragraph) => <p key={paragraph}>{paragraph}</p>)}
      <section aria-labelledby="in-short" className={`wash ${styles.inShort}`}>
        <h2 id="in-short">{t('terms.inShort')}</h2>
        <ul>
          {text.inShort.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </section>
      {sections.map((section) => (
        <Section key={section.id} section={section} values={values} leftOut={leftOut} />
      ))}
    </div>
  );
  if (isIncomplete) return body;
  return (
    <div className={styles.columns}>
      <nav aria-labelledby="contents" className={`small ${styles.contents}`}>
        <h2 id="contents">{t('terms.contents')}</h2>
        <ol>
          {sections.map(({ id, title }) => (
            <li key={id}>
              <Link to={`#${id}`}>{title}</Link>
            </li>
          ))}
        </ol>
      </nav>
      {body}
    </div>
  );
}

/** The terms with these values; missing ones are marked. */
export function TermsPreview({ terms }: { readonly terms: PublicTerms }) {
  const { data: config } = usePublicConfig();
  const { language, text } = useTermsText();
  const values = { terms, retentionDays: config?.retentionDays ?? 0 };
  return (
    <div lang={language} className={styles.text}>
      {text?.sections.map((section) => (
        <Section key={section.id} section={section} values={values} leftOut={[OPTIONAL_BLANK]} />
      ))}
    </div>
  );
}

/** `/toc`: the terms, with the privacy policy as one of their sections and the deployment's values in the blanks. */
export function TermsScreen() {
  const { t } = useTranslation();
  const { data: config, isLoading, failureCount } = usePublicConfig();
  const { language, text: loaded, isError: failed, isFetching, refetch } = useTermsText();
  // The blanks decide which text is shown. It waits until they are known, so that nothing moves while people read.
  const text = isLoading && failureCount === 0 ? null : (loaded ?? null);
  const isAwaited = text === null && (!failed || isFetching);
  const isIncomplete = config !== undefined && missingTerms(config.terms).length > 0;
  return (
    <article className={`stack ${isAwaited ? 'awaited ' : ''}${styles.terms}`} aria-busy={isAwaited}>
      <title>{t('title.terms')}</title>
      <header className="stack measure">
        <h1>{t('terms.title')}</h1>
        {!isIncomplete && <p className="soft">{t('terms.version', { version: termsVersion(config) })}</p>}
      </header>
      {failed && !isFetching && <LoadFailed onRetry={() => void refetch()} />}
      {isAwaited && (
        <p role="status" className="visually-hidden">
          {t('screen.loading')}
        </p>
      )}
      {text !== null && (
        <div lang={language}>
          <Terms text={text} values={config ?? null} isIncomplete={isIncomplete} />
        </div>
      )}
    </article>
  );
}

import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import { dateLocale } from '../../platform/format/format.ts';
import styles from './terms.module.css';
import type { Blank } from './text/terms-text.ts';

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
export function FilledText({ text }: { readonly text: string }) {
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

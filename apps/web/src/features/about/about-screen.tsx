import { Trans, useTranslation } from 'react-i18next';
import { useIsEvidenceSettled } from '../../platform/api/confidence-evidence.ts';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import styles from '../../ui/prose.module.css';
import { WordTests } from './word-tests.tsx';

/** `/about`: what the recogniser knows, how sure it is, whose it is, and how it may be used. */
export function AboutScreen() {
  const { t } = useTranslation();
  const { data: config, isPending } = usePublicConfig();
  const model = config?.model ?? null;
  const isSettled = useIsEvidenceSettled(model?.id ?? null) && !isPending;
  // What would grow into the middle of the text is waited for, a moment: what is being read does not move.
  if (!isSettled)
    return (
      <article className={`awaited ${styles.prose} ${styles.awaited}`} aria-busy="true">
        <title>{t('title.about')}</title>
        <h1>{t('about.title')}</h1>
        <p>{t('about.intro')}</p>
      </article>
    );
  return (
    <article className={styles.prose}>
      <title>{t('title.about')}</title>
      <h1>{t('about.title')}</h1>
      <p>{t('about.intro')}</p>

      <h2>{t('about.knowsTitle')}</h2>
      <p>{t('about.knows')}</p>

      <h2 id="words">{t('about.sureTitle')}</h2>
      <p>{t('about.sure')}</p>
      <WordTests modelId={model?.id ?? null} />

      <h2>{t('about.modelTitle')}</h2>
      {config && !model && <p>{t('about.notInstalled')}</p>}
      {model && (
        <dl className={styles.facts}>
          <dt>{t('about.name')}</dt>
          <dd>{model.id}</dd>
          <dt>{t('about.version')}</dt>
          <dd>{model.version}</dd>
          <dt>{t('about.licence')}</dt>
          <dd>{model.licence}</dd>
          <dt>{t('about.attribution')}</dt>
          <dd>{model.attribution}</dd>
          <dt>{t('about.hash')}</dt>
          <dd className={styles.hash}>{model.sha256}</dd>
        </dl>
      )}

      <h2>{t('about.useTitle')}</h2>
      <p>
        {t('about.use')}{' '}
        <a href="https://creativecommons.org/licenses/by-nc-sa/4.0/" rel="license noreferrer">
          CC BY-NC-SA 4.0
        </a>
      </p>

      <h2>{t('about.citationTitle')}</h2>
      <p lang="en">
        {t('about.citation')} <a href="https://doi.org/10.1016/j.ecoinf.2021.101236">doi.org/10.1016/j.ecoinf.2021.101236</a>
      </p>

      <h2>{t('about.placesTitle')}</h2>
      <p>
        <Trans
          t={t}
          i18nKey="about.places"
          components={{
            // biome-ignore lint/a11y/useAnchorContent: the words are between the tags of the string
            names: <a href="https://www.geonames.org" rel="noreferrer" />,
            // biome-ignore lint/a11y/useAnchorContent: the words are between the tags of the string
            licence: <a href="https://creativecommons.org/licenses/by/4.0/" rel="license noreferrer" />,
          }}
        />
      </p>

      <h2>{t('about.othersTitle')}</h2>
      <p>
        <Trans
          t={t}
          i18nKey="about.others"
          components={{
            // biome-ignore lint/a11y/useAnchorContent: the words are between the tags of the string
            notices: <a href="/third-party-notices.txt" rel="license" />,
          }}
        />
      </p>
    </article>
  );
}

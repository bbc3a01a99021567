import { IconExternalLink } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import styles from './species.module.css';

function addressesOf(scientificName: string, language: string): readonly (readonly [site: string, url: string])[] {
  const query = encodeURIComponent(scientificName);
  const [wiki = 'en'] = language.split('-');
  return [
    ['Wikipedia', `https://${wiki}.wikipedia.org/w/index.php?search=${query}&go=Go`],
    ['Xeno-canto', `https://xeno-canto.org/explore?query=${query}`],
    ['eBird', `https://ebird.org/explore?q=${query}`],
    ['GBIF', `https://www.gbif.org/species/search?q=${query}`],
  ];
}

interface Properties {
  readonly scientificName: string;
  readonly commonName: string;
}

/** Links to other sites about a species; the browser contacts none before the user follows one. */
export function LearnMore({ scientificName, commonName }: Properties) {
  const { t, i18n } = useTranslation();
  return (
    <p className={styles.learn}>
      {t('learn.title')}
      {addressesOf(scientificName, i18n.language).map(([site, url]) => (
        <a
          key={site}
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={t('learn.link', { name: commonName, site })}
        >
          {site}
          <IconExternalLink aria-hidden="true" />
        </a>
      ))}
    </p>
  );
}

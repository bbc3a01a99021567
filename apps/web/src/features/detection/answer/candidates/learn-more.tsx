import { IconExternalLink } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import styles from '../answer.module.css';

interface Properties {
  readonly scientificName: string;
  readonly commonName: string;
}

/** Where a species is found by its scientific name. */
function addressesOf(scientificName: string, language: string): readonly (readonly [site: string, url: string])[] {
  const query = encodeURIComponent(scientificName);
  const [wiki = 'en'] = language.split('-');
  return [
    ['Wikipedia', `https://${wiki}.wikipedia.org/w/index.php?search=${query}&go=Go`],
    ['Xeno-canto', `https://xeno-canto.org/explore?query=${query}`],
    ['GBIF', `https://www.gbif.org/species/search?q=${query}`],
  ];
}

/** Ways to other sites about a species; nothing is asked of them before somebody follows one. */
export function LearnMore({ scientificName, commonName }: Properties) {
  const { t, i18n } = useTranslation();
  return (
    <p className={styles.learn}>
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

import type { FoundSpecies } from '@chiffchaff/contract';
import { IconExternalLink } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useTranslation } from '../../languages/i18n.ts';
import styles from './species.module.css';

/** What leads to a bird's row in a result: `/history/…#Turdus_merula`. */
export const speciesAnchor = (scientificName: string): string => scientificName.replaceAll(' ', '_');

/** The address of a bird's page: `/birds/Turdus_merula`. */
export const speciesPath = (scientificName: string): string => `/birds/${encodeURIComponent(speciesAnchor(scientificName))}`;

interface SpeciesLinkProperties extends FoundSpecies {
  /** Only the scientific name, because the other stands before it. */
  readonly isBare?: boolean;
  readonly target?: '_blank' | undefined;
}

/** A bird's names as an unobtrusive link to its page. */
export function SpeciesLink({ scientificName, commonName, isBare = false, target }: SpeciesLinkProperties) {
  const { t } = useTranslation();
  return (
    <Link className={styles.link} to={speciesPath(scientificName)} target={target} title={t('bird.about', { name: commonName })}>
      {!isBare && commonName !== scientificName && `${commonName} `}
      <i lang="la">{scientificName}</i>
    </Link>
  );
}

function addressesOf(scientificName: string, language: string) {
  const query = encodeURIComponent(scientificName);
  const [wiki = 'en'] = language.split('-');
  return [
    ['Wikipedia', `https://${wiki}.wikipedia.org/w/index.php?search=${query}&go=Go`],
    ['Xeno-canto', `https://xeno-canto.org/explore?query=${query}`],
    ['eBird', `https://ebird.org/explore?q=${query}`],
    ['GBIF', `https://www.gbif.org/species/search?q=${query}`],
  ] as const;
}

/** A link to another site about a species; the browser does not contact it before the user follows the link. */
function SiteLink({ commonName, site, url }: { readonly commonName: string; readonly site: string; readonly url: string }) {
  const { t } = useTranslation();
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" aria-label={t('learn.link', { name: commonName, site })}>
      {site}
      <IconExternalLink aria-hidden="true" />
    </a>
  );
}

/** Links to other sites about a species. */
export function LearnMore({ scientificName, commonName }: FoundSpecies) {
  const { t, i18n } = useTranslation();
  return (
    <p className={`cluster-tight small ${styles.learn}`}>
      {t('learn.title')}
      {addressesOf(scientificName, i18n.language).map(([site, url]) => (
        <SiteLink key={site} {...{ commonName, site, url }} />
      ))}
    </p>
  );
}

/** A link to recordings of a species elsewhere, to compare. */
export function ReferenceRecordings({ scientificName, commonName }: FoundSpecies) {
  const { i18n } = useTranslation();
  const [, [site, url]] = addressesOf(scientificName, i18n.language);
  return (
    <span className={`cluster-tight small ${styles.learn}`}>
      <SiteLink {...{ commonName, site, url }} />
    </span>
  );
}

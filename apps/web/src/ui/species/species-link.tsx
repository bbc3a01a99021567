import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import styles from './species.module.css';

/** The address of a bird's page: `/birds/Turdus_merula`. */
export const speciesPath = (scientificName: string): string =>
  `/birds/${encodeURIComponent(scientificName.replaceAll(' ', '_'))}`;

interface Properties {
  readonly scientificName: string;
  readonly commonName: string;
}

/** A bird's scientific name as an unobtrusive link to its page. */
export function SpeciesLink({ scientificName, commonName }: Properties) {
  const { t } = useTranslation();
  return (
    <Link className={styles.link} to={speciesPath(scientificName)} title={t('bird.about', { name: commonName })}>
      <i lang="la">{scientificName}</i>
    </Link>
  );
}

import type { SpeciesProfile } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import { useSpeciesPicture } from '../../platform/api/species.ts';
import styles from './species.module.css';

/** A bird's picture with its author and licence, if the operator wants pictures; plain paper until it has loaded. */
export function SpeciesPicture({ profile: { scientificName, commonName } }: { readonly profile: SpeciesProfile }) {
  const { t } = useTranslation();
  const { data: config } = usePublicConfig();
  const apiOrigin = config?.apiOrigin ?? '';
  const isWanted = config?.speciesPictures ?? false;
  const { data: picture } = useSpeciesPicture(scientificName, isWanted);
  if (!isWanted) return null;
  const { author, licence, licenceUrl, sourceUrl } = picture ?? {};
  const outside = { target: '_blank', rel: 'noopener noreferrer' };
  return (
    <figure className={styles.picture}>
      <div>
        {picture && (
          <img
            src={apiOrigin + picture.path}
            crossOrigin={apiOrigin === '' ? undefined : 'anonymous'}
            width={picture.width}
            height={picture.height}
            alt={t('bird.pictureOf', { name: commonName })}
          />
        )}
      </div>
      {picture && (
        <figcaption className={styles.soft}>
          {author == null ? '' : `${author} · `}
          {licenceUrl == null ? (
            licence
          ) : (
            <a href={licenceUrl} {...outside}>
              {licence}
            </a>
          )}
          {' · '}
          <a href={sourceUrl} {...outside}>
            Wikimedia Commons
          </a>
          {` · ${t('bird.cropped')}`}
        </figcaption>
      )}
    </figure>
  );
}

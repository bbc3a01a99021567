import type { ConfidenceEvidence, SpeciesProfile } from '@chiffchaff/contract';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useConfidenceEvidence } from '../../platform/api/confidence-evidence.ts';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import { useSpeciesName } from '../../platform/api/species.ts';
import { SpeciesLink } from '../../ui/species/species-link.tsx';
import styles from './species.module.css';

interface Confused {
  readonly scientificName: string;
  /** test recordings of the other that were called this … */
  readonly calledThis: number;
  /** … and of this that were called the other */
  readonly calledOther: number;
}

/** The species that a bird was confused with in the tests, most frequent first. */
function confusedWith({ confusions }: ConfidenceEvidence, scientificName: string): Confused[] {
  const found = new Map<string, Confused>();
  for (const { named, heard, recordings } of confusions) {
    if (named !== scientificName && heard !== scientificName) continue;
    const other = named === scientificName ? heard : named;
    const { calledThis = 0, calledOther = 0 } = found.get(other) ?? {};
    found.set(other, {
      scientificName: other,
      calledThis: calledThis + (named === scientificName ? recordings : 0),
      calledOther: calledOther + (heard === scientificName ? recordings : 0),
    });
  }
  const count = ({ calledThis, calledOther }: Confused) => calledThis + calledOther;
  return [...found.values()].sort(
    (one, other) => count(other) - count(one) || one.scientificName.localeCompare(other.scientificName),
  );
}

function ConfusedRow({ confused, name }: { readonly confused: Confused; readonly name: string }) {
  const { t } = useTranslation();
  const { scientificName, calledThis, calledOther } = confused;
  const other = useSpeciesName(scientificName);
  const facts = [
    ...(calledThis > 0 ? [t('bird.calledThis', { count: calledThis, name, other })] : []),
    ...(calledOther > 0 ? [t('bird.calledOther', { count: calledOther, name, other })] : []),
  ];
  return (
    <li>
      {other !== scientificName && `${other} `}
      <SpeciesLink scientificName={scientificName} commonName={other} />
      <span className={styles.soft}> · {facts.join(' · ')}</span>
    </li>
  );
}

/** If a genus has more species, they are behind a disclosure. */
const MOST_IN_SIGHT = 8;

/** How often a bird was named correctly in tests, what it was confused with, and its relatives. */
export function Reliability({ profile }: { readonly profile: SpeciesProfile }) {
  const { t } = useTranslation();
  const titleId = useId();
  const similarId = useId();
  const { data: config } = usePublicConfig();
  const evidence = useConfidenceEvidence(config?.model?.id ?? null);
  const { scientificName, commonName, genus } = profile;
  const tested = evidence?.species[scientificName];
  const confused = evidence === null ? [] : confusedWith(evidence, scientificName);
  const relatives = genus.map((bird) => (
    <li key={bird.scientificName}>
      {bird.commonName} <SpeciesLink {...bird} />
    </li>
  ));
  return (
    <>
      {evidence && (
        <section aria-labelledby={titleId} className={styles.part}>
          <h2 id={titleId}>{t('bird.reliability')}</h2>
          <p>
            {tested
              ? t('evidence.species', { count: tested.named, right: tested.right, name: commonName })
              : t('evidence.few', { least: evidence.minNamed, name: commonName })}{' '}
            <Link to="/about#words">{t('meaning.label')}</Link>
          </p>
        </section>
      )}
      <section aria-labelledby={similarId} className={styles.part}>
        <h2 id={similarId}>{t('bird.similar')}</h2>
        {evidence && evidence.confusions.length > 0 && confused.length === 0 && (
          <p>{t('bird.notConfused', { name: commonName })}</p>
        )}
        {confused.length > 0 && (
          <>
            <p>{t('bird.confused')}</p>
            <ul>
              {confused.map((one) => (
                <ConfusedRow key={one.scientificName} confused={one} name={commonName} />
              ))}
            </ul>
          </>
        )}
        {genus.length === 0 && <p className={styles.soft}>{t('bird.noGenus')}</p>}
        {genus.length > 0 && <p>{t('bird.genus', { genus: scientificName.split(' ', 1)[0] ?? '' })}</p>}
        {genus.length > 0 && <ul>{relatives.slice(0, MOST_IN_SIGHT)}</ul>}
        {genus.length > MOST_IN_SIGHT && (
          <details>
            <summary>{t('bird.moreOfGenus', { count: genus.length - MOST_IN_SIGHT })}</summary>
            <ul>{relatives.slice(MOST_IN_SIGHT)}</ul>
          </details>
        )}
      </section>
    </>
  );
}

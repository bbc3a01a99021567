import type { ConfidenceEvidence, FoundSpecies, SpeciesProfile } from '@chiffchaff/contract';
import { useState } from 'react';
import { Link } from 'react-router';
import { useTranslation } from '../../languages/i18n.ts';
import { useConfidenceEvidence } from '../../platform/api/confidence-evidence.ts';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import { useSeasonPlace } from '../../platform/api/season-place.ts';
import { useSpeciesName, useSpeciesSeason, useSpeciesSong } from '../../platform/api/species.ts';
import { lazyScreen } from '../../ui/lazy-screen.tsx';
import { Section } from '../../ui/section.tsx';
import { SpeciesLink } from '../../ui/species/species-link.tsx';

const ComparedSongs = lazyScreen('ComparedSongs', () => import('./compare-songs.tsx'));

interface Confused {
  readonly scientificName: string;
  /** test recordings of the other that were called this … */
  readonly calledThis: number;
  /** … and of this that were called the other */
  readonly calledOther: number;
}

/** The species that a bird was confused with in several tests, most frequent first. */
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
  return [...found.values()]
    .filter((one) => count(one) >= LEAST_CASES)
    .sort((one, other) => count(other) - count(one) || one.scientificName.localeCompare(other.scientificName));
}

interface CompareProperties {
  readonly bird: FoundSpecies;
  readonly other: FoundSpecies;
}

/** *Compare songs*: those of two birds, loaded on request; nothing for a bird without one. */
function CompareSongs({ bird, other }: CompareProperties) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  if (!useSpeciesSong(bird.scientificName)) return null;
  return (
    <>
      <button type="button" className="link small" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {t('bird.compareSongs')}
        <span className="visually-hidden"> ({other.commonName})</span>
      </button>
      {isOpen && <ComparedSongs {...{ bird, other }} />}
    </>
  );
}

interface ConfusedProperties extends Pick<LookAlikesProperties, 'target'> {
  readonly confused: Confused;
  readonly bird: SpeciesProfile;
}

function ConfusedRow({ confused, bird, target }: ConfusedProperties) {
  const { t } = useTranslation();
  const { scientificName, calledThis, calledOther } = confused;
  const asked = useSpeciesName(scientificName);
  // A relative's name has come with the bird; another's may come late, or never.
  const other = bird.genus.find((one) => one.scientificName === scientificName)?.commonName ?? asked;
  const facts = [
    ...(calledThis > 0 ? [t('bird.calledThis', { count: calledThis, name: bird.commonName, other })] : []),
    ...(calledOther > 0 ? [t('bird.calledOther', { count: calledOther, name: bird.commonName, other })] : []),
  ];
  return (
    <li>
      <SpeciesLink scientificName={scientificName} commonName={other} target={target} />
      <div className="small soft">{facts.join(' · ')}</div>
      <CompareSongs bird={bird} other={{ scientificName, commonName: other }} />
    </li>
  );
}

/** How often a bird was named correctly in tests. */
export function Reliability({ profile: { scientificName, commonName } }: { readonly profile: SpeciesProfile }) {
  const { t } = useTranslation();
  const evidence = useEvidence();
  if (evidence === null) return null;
  const tested = evidence.species[scientificName];
  return (
    <Section title={t('bird.reliability')}>
      <p>
        {tested
          ? t('evidence.species', { count: tested.named, right: tested.right, name: commonName })
          : t('evidence.few', { least: evidence.minNamed, name: commonName })}{' '}
        <Link to="/about#words">{t('meaning.label')}</Link>
      </p>
    </Section>
  );
}

/** Fewer cases say nothing about a bird. */
const LEAST_CASES = 3;
const MOST_RELATIVES = 6;

interface LookAlikesProperties {
  readonly profile: SpeciesProfile;
  /** where links to other birds open */
  readonly target?: '_blank' | undefined;
}

/** What a bird was confused with in tests; where that is not known, its relatives, those of the device's place if there are some. */
export function LookAlikes({ profile, target }: LookAlikesProperties) {
  const { t } = useTranslation();
  const evidence = useEvidence();
  const { scientificName, genus } = profile;
  const season = useSpeciesSeason(scientificName, useSeasonPlace()?.place ?? null).data;
  const confused = evidence === null ? [] : confusedWith(evidence, scientificName);
  const here = (season?.relatives ?? []).flatMap((name) => genus.find((bird) => bird.scientificName === name) ?? []);
  const relatives = (here.length > 0 ? here : genus).slice(0, MOST_RELATIVES);
  const genusName = scientificName.split(' ', 1)[0] ?? '';
  if (confused.length + relatives.length === 0) return null;
  return (
    <Section title={t('bird.similar')}>
      <p>{t(confused.length > 0 ? 'bird.confused' : here.length > 0 ? 'bird.genusHere' : 'bird.genus', { genus: genusName })}</p>
      <ul className="rows">
        {confused.map((one) => (
          <ConfusedRow key={one.scientificName} confused={one} bird={profile} target={target} />
        ))}
        {confused.length === 0 &&
          relatives.map((bird) => (
            <li key={bird.scientificName}>
              <SpeciesLink {...bird} target={target} />
              <div>
                <CompareSongs bird={profile} other={bird} />
              </div>
            </li>
          ))}
      </ul>
    </Section>
  );
}

function useEvidence(): ConfidenceEvidence | null {
  const { data: config } = usePublicConfig();
  return useConfidenceEvidence(config?.model?.id ?? null);
}

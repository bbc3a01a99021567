import type { Correction } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';

/** What was said about one bird of an answer. */
export const correctionOf = (corrections: readonly Correction[] | undefined, scientificName: string): Correction | undefined =>
  corrections?.find((correction) => correction.scientificName === scientificName);

interface Properties {
  readonly name: string;
  /** Told as well, where it is to be. */
  readonly scientificName?: string;
  /** BCP 47 tag of the name, when it differs from the page's. */
  readonly language: string | undefined;
  readonly correction: Correction | undefined;
}

/** A bird's name as it is after what was said about it: struck through where it was rejected, behind the bird that it was instead. */
export function ReviewedName({ name, scientificName, language, correction }: Properties) {
  const { t } = useTranslation();
  const told = (common: string, scientific: string | null) => (
    <>
      <span lang={language}>{common}</span>
      {scientificName !== undefined && scientific !== null && (
        <>
          {' '}
          <i lang="la">{scientific}</i>
        </>
      )}
    </>
  );
  const given = told(name, scientificName ?? null);
  if (correction === undefined || correction.kind === 'confirmed') return given;
  const { correctedTo, correctedToCommonName } = correction;
  return (
    <>
      {correctedTo !== null && <>{told(correctedToCommonName ?? correctedTo, correctedTo)} </>}
      <s>{given}</s>
      <span className="visually-hidden"> ({t('correction.rejectedByYou')})</span>
    </>
  );
}

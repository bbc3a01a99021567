import type { Correction } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';

/** The correction of one bird in an answer. */
export const correctionOf = (corrections: readonly Correction[] | undefined, scientificName: string): Correction | undefined =>
  corrections?.find((correction) => correction.scientificName === scientificName);

interface Properties {
  readonly name: string;
  /** Shown after the name when given. */
  readonly scientificName?: string;
  /** BCP 47 tag of the name, when it differs from the page's. */
  readonly language: string | undefined;
  readonly correction: Correction | undefined;
}

/** A bird's name after correction: struck through when rejected, and then preceded by the right bird if one was given. */
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

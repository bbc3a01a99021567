import type { LookAlike } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { ReferenceRecordings } from '../../../../ui/species/learn-more.tsx';
import { SpeciesLink } from '../../../../ui/species/species-link.tsx';
import { PlayButton } from '../birds/play-button.tsx';
import styles from './verdict.module.css';

/** What the first bird is easily taken for, to compare: a part of this recording to play, and recordings of it elsewhere. */
export function LookAlikeNote({ lookAlike }: { readonly lookAlike: LookAlike }) {
  const { t } = useTranslation();
  const { commonName, scientificName, reason, occurrenceWord, best } = lookAlike;
  const remark = occurrenceWord === undefined ? '' : t(`lookAlike.remark.${occurrenceWord}`);
  return (
    <div className={styles.lookAlike}>
      {best && <PlayButton name={commonName} passage={best} />}
      <p>
        {t(`lookAlike.${reason}`, { name: commonName, remark })}{' '}
        <SpeciesLink scientificName={scientificName} commonName={commonName} />
      </p>
      <ReferenceRecordings scientificName={scientificName} commonName={commonName} />
    </div>
  );
}

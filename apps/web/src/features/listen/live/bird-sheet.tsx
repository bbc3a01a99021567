import type { BirdReview, FoundSpecies } from '@chiffchaff/contract';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ComponentType, type SyntheticEvent, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { languageTag, useNamesLanguage } from '../../../platform/format/species-language.ts';
import { Button } from '../../../ui/button.tsx';
import { Modal } from '../../../ui/modal.tsx';
import { speciesPath } from '../../../ui/species/species-link.tsx';
import type { LiveSession } from './live-session.ts';
import type { SpeciesRow } from './species-rows.ts';

/** What is shown of a bird and its best moment; it belongs to another feature. */
export type AboutBird = ComponentType<{
  readonly bird: FoundSpecies;
  /** null if no sound is stored */
  readonly moment: Blob | null;
  readonly durationSeconds: number;
}>;

interface Properties {
  /** as it was when it was pressed, so that its moment stays the same */
  readonly row: SpeciesRow;
  readonly session: LiveSession;
  readonly review: BirdReview | undefined;
  readonly AboutBird: AboutBird;
  readonly onClose: () => void;
}

const choices = [
  { verdict: 'confirmed', Icon: IconCheck },
  { verdict: 'rejected', Icon: IconX },
] as const;

/** A bird of the list: whether that was it, its best moment beside its song, and its look-alikes. Listening goes on underneath. */
export function BirdSheet({ row, session, review, AboutBird, onClose }: Properties) {
  const { t } = useTranslation();
  const language = useNamesLanguage();
  const { scientificName, commonName, best } = row;
  const { data: moment } = useQuery({
    queryKey: ['device', 'moment', scientificName, best],
    queryFn: () => session.moment(best),
    gcTime: 0,
    structuralSharing: false,
  });
  useEffect(() => () => session.hush(false), [session]);
  const follow = ({ currentTarget }: SyntheticEvent<HTMLElement>) =>
    session.hush([...currentTarget.querySelectorAll('audio')].some(({ paused }) => !paused));
  return (
    <Modal title={<span lang={language === null ? undefined : languageTag(language)}>{commonName}</span>} onClose={onClose}>
      <div className="stack" onPlayCapture={follow} onPauseCapture={follow}>
        <div className="cluster-tight">
          {choices.map(({ verdict, Icon }) => (
            <Button
              key={verdict}
              icon={Icon}
              aria-pressed={review?.verdict === verdict}
              onClick={() => session.review(row, verdict)}
            >
              {t(`birdReview.${verdict}`)}
            </Button>
          ))}
        </div>
        {moment !== undefined && <AboutBird bird={row} moment={moment} durationSeconds={best.endSeconds - best.startSeconds} />}
        <Link to={speciesPath(scientificName)} target="_blank">
          {t('listen.more')}
        </Link>
      </div>
    </Modal>
  );
}

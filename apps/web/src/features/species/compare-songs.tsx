import type { FoundSpecies } from '@chiffchaff/contract';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from '../../languages/i18n.ts';
import { useSpeciesSong } from '../../platform/api/species.ts';
import { FileCredits } from '../../ui/species/file-credits.tsx';
import { Compare, useSound } from '../../ui/timeline/compare.tsx';

const COMPARED_SECONDS = 6;

/** The beginning of a bird's song to draw and play. */
export function useSongClip({ scientificName, commonName }: FoundSpecies) {
  const { t } = useTranslation();
  const song = useSpeciesSong(scientificName);
  const { data: file = null } = useQuery({
    queryKey: ['song', song?.url],
    queryFn: async ({ signal }) => (await fetch(song?.url ?? '', { signal })).blob(),
    enabled: Boolean(song),
    staleTime: 'static',
  });
  const { durationSeconds = COMPARED_SECONDS } = song ?? {};
  const { audio, sound } = useSound(file, null, durationSeconds);
  const title = (
    <>
      {commonName}: {song ? <FileCredits {...song} change={t('bird.converted')} /> : song === null && t('bird.noSong')}
    </>
  );
  const passage = { startSeconds: 0, endSeconds: Math.min(COMPARED_SECONDS, durationSeconds) };
  return { audio, clip: { title, sound, passage } };
}

interface Properties {
  readonly bird: FoundSpecies;
  readonly other: FoundSpecies;
}

/** The songs of two birds, one above the other. */
export function ComparedSongs({ bird, other }: Properties) {
  const [{ audio, clip }, another] = [useSongClip(bird), useSongClip(other)];
  return (
    <>
      {audio}
      {another.audio}
      <Compare name={other.commonName} clips={[clip, another.clip]} />
    </>
  );
}

import type { FoundSpecies } from '@chiffchaff/contract';
import { useTranslation } from '../../languages/i18n.ts';
import { useSpeciesProfile } from '../../platform/api/species.ts';
import { Compare, useSound } from '../../ui/timeline/compare.tsx';
import { useSongClip } from './compare-songs.tsx';
import { LookAlikes } from './reliability.tsx';

interface Properties {
  readonly bird: FoundSpecies;
  /** of a recording in progress; null if no sound is stored */
  readonly moment: Blob | null;
  readonly durationSeconds: number;
}

/** A bird that was just heard: its moment above its song, and its look-alikes; offline, only the moment. Links open new tabs. */
export function AboutBird({ bird, moment, durationSeconds }: Properties) {
  const { t } = useTranslation();
  const { data: profile } = useSpeciesProfile(bird.scientificName);
  const { audio, sound } = useSound(moment, null, durationSeconds);
  const song = useSongClip(bird);
  const clips = [
    ...(moment ? [{ title: t('compare.here'), sound, passage: { startSeconds: 0, endSeconds: durationSeconds } }] : []),
    ...(song.clip.sound.playback ? [song.clip] : []),
  ];
  return (
    <>
      {audio}
      {song.audio}
      {clips.length > 0 && <Compare name={bird.commonName} clips={clips} />}
      {profile && <LookAlikes profile={profile} target="_blank" />}
    </>
  );
}

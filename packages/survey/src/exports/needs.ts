import type { Observation, SurveyRecording } from './survey-records.ts';
import { spanOfRecording } from './times.ts';

/** What formats ask for and records may lack: GBIF asks only for a day, eBird for start and length of stationary lists only. */
export type Need = 'day' | 'time in UTC' | 'place' | 'length' | 'name';

/** Names what is missing. Without a day, the time in UTC does not count as missing, too. */
const lacking = (needs: Partial<Record<Need, unknown>>): readonly Need[] =>
  (Object.keys(needs) as Need[]).filter((need) => !needs[need] && (need !== 'time in UTC' || needs.day));

const isTimed = (recording: SurveyRecording): boolean => spanOfRecording({ ...recording, seconds: 0 }) !== null;
export const lackingForDarwinCore = ({ moment }: SurveyRecording) => lacking({ day: moment.date });
export const lackingForCamtrap = (recording: SurveyRecording) =>
  lacking({ day: recording.moment.date, 'time in UTC': isTimed(recording), place: recording.place });
export const lackingForEbird = ({ recording, moment, scientificName, commonName }: Observation, protocol?: string | null) =>
  lacking({
    ...{ day: moment.date, place: recording.site || recording.place, name: scientificName || commonName },
    ...(protocol === 'Stationary' && { 'time in UTC': isTimed(recording), length: recording.seconds !== null }),
  });

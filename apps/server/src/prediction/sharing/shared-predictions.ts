import type { AnalysisService, Stretch } from '@chiffchaff/analysis';
import { type Conditions, SHARED_ROWS, type SharedPrediction } from '@chiffchaff/contract';
import type { FastifyBaseLogger } from 'fastify';
import { HttpProblem } from '../../http/http-problem.ts';
import type { PlaceIndex } from '../../places/place-index.ts';
import type { AudioRetention } from '../audio/audio-retention.ts';
import { createCachedWork } from '../cached-work.ts';
import type { Predictions } from '../predictions.ts';
import { createRecentValues } from '../recent-values.ts';
import type { SharedRow } from './link-store.ts';
import { clipOf, type Shareable, type ShownBird, shownBirds } from './shared-birds.ts';

export interface SharedPredictionsOptions {
  readonly predictions: Predictions;
  readonly sounds: AudioRetention;
  readonly service: Pick<AnalysisService, 'cutClip'>;
  readonly places: Pick<PlaceIndex, 'regionAt'>;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

type ShownClip = ShownBird & { readonly clip: Stretch | null };

/** Those that strangers request are cached by id and revision. */
const OPENED_ANSWERS = 32;
/** Narrower columns would be computed from the audio itself. */
const COLUMN_SECONDS = 0.07;
const MAX_HZ = 12_000;
const WEEKS_A_MONTH = 4;

export type SharedPredictions = ReturnType<typeof createSharedPredictions>;

/** What a link shows of a prediction, after its owner's reviews. */
export function createSharedPredictions({ predictions, sounds, service, places, log }: SharedPredictionsOptions) {
  const opened = createRecentValues<Shareable>(OPENED_ANSWERS);
  /** Clips are cut on request: sharing a recording stores nothing more of it. Each is at most 12 s, less than a megabyte. */
  const clips = createCachedWork({ atOnce: 2, mostWaiting: 32, mostKept: 16 });

  async function open(row: SharedRow): Promise<Shareable> {
    const key = `${row.id} ${row.revision}`;
    const known = opened.get(key);
    if (known !== undefined) return known;
    const { prediction } = await predictions.answers.headOf(row);
    const { verdict, candidates, hiddenByLocation, conditions, model, recording } = prediction;
    const answer = { verdict, candidates, hiddenByLocation, conditions, model, recording };
    opened.set(key, answer);
    return answer;
  }

  async function birdsOf(row: SharedRow, answer: Shareable): Promise<readonly ShownClip[]> {
    const [said, kept] = await Promise.all([
      predictions.reviews.of(row.id),
      row.sound ? predictions.keptAudioOf(row.accountId, [row.id]) : null,
    ]);
    const { durationSeconds } = answer.recording;
    return shownBirds(answer, said).map((bird) => ({
      ...bird,
      clip: clipOf(bird.best, kept?.get(row.id), durationSeconds),
    }));
  }

  /** @throws HttpProblem NOT_FOUND when that bird is not shown, or cannot be heard */
  async function findClip(row: SharedRow, scientificName: string): Promise<Stretch> {
    const birds = await birdsOf(row, await open(row));
    const clip = birds.find((bird) => bird.scientificName === scientificName)?.clip;
    if (clip == null) throw new HttpProblem('NOT_FOUND', {});
    return clip;
  }

  /** Only of a stated place; an assumed one is not the recording's. */
  async function regionOf({ latitude, longitude }: Conditions): Promise<string | null> {
    if (latitude === null || longitude === null) return null;
    try {
      return await places.regionAt(latitude, longitude);
    } catch (error) {
      log.warn({ err: error }, 'the region of a shared prediction could not be looked up');
      return null;
    }
  }

  return {
    /** @param names in the requested language; null leaves them as stored. @throws HttpProblem NOT_FOUND */
    async describe(
      row: SharedRow,
      names: { language: string; of: ReadonlyMap<string, string> } | null,
    ): Promise<SharedPrediction> {
      const answer = await open(row);
      const { licence, attribution } = answer.model;
      const birds = await birdsOf(row, answer);
      return {
        birds: birds.map(({ best: _, clip, ...bird }) => ({
          ...bird,
          commonName: names?.of.get(bird.scientificName) ?? bird.commonName,
          clip: clip && { durationSeconds: clip.endSeconds - clip.startSeconds },
        })),
        month: monthOf(answer.conditions),
        region: await regionOf(answer.conditions),
        language: names?.language ?? answer.conditions.language,
        model: { licence, attribution },
      };
    },

    /** The audio of a bird as a file. @throws HttpProblem NOT_FOUND, SOUND_NOT_READY, SERVER_BUSY */
    async soundOf(row: SharedRow, scientificName: string, signal: AbortSignal): Promise<Uint8Array> {
      const clip = await findClip(row, scientificName);
      return clips([row.id, clip], (limited) =>
        sounds.readStretch(row.accountId, row.id, clip, signal, (path, stretch) =>
          limited(() => service.cutClip({ path, stretch }, signal)),
        ),
      );
    },

    /** Its spectrogram: `SHARED_ROWS` bytes a column. @throws HttpProblem NOT_FOUND, SOUND_NOT_READY, SERVER_BUSY */
    async pictureOf(row: SharedRow, scientificName: string, signal: AbortSignal): Promise<Uint8Array> {
      const clip = await findClip(row, scientificName);
      const columns = Math.max(1, Math.floor((clip.endSeconds - clip.startSeconds) / COLUMN_SECONDS));
      return sounds.show(row.accountId, row.id, { ...clip, maxHz: MAX_HZ, columns, rows: SHARED_ROWS }, signal);
    },
  };
}

/** A week of the model is a quarter of a month. */
function monthOf({ date, week }: Conditions): SharedPrediction['month'] {
  if (date) return { year: Number(date.slice(0, 4)), month: Number(date.slice(5, 7)) };
  return week === null ? null : { year: null, month: Math.ceil(week / WEEKS_A_MONTH) };
}

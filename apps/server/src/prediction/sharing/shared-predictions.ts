import type { Stretch } from '@chiffchaff/analysis';
import { type Conditions, type Prediction, SHARED_ROWS, type SharedPrediction } from '@chiffchaff/contract';
import type { FastifyBaseLogger } from 'fastify';
import { HttpProblem } from '../../http/http-problem.ts';
import type { ConnectedRequester } from '../../http/limits/fair-limiter.ts';
import type { PlaceIndex } from '../../places/place-index.ts';
import type { AudioRetention } from '../audio/audio-retention.ts';
import { createCachedWork } from '../cached-work.ts';
import type { Predictions } from '../predictions.ts';
import type { SharedRow } from './link-store.ts';
import { clipOf, type ShownBird, shownBirds } from './shared-birds.ts';

export interface SharedPredictionsOptions {
  readonly predictions: Pick<Predictions, 'answers' | 'reviews' | 'keptAudioOf'>;
  readonly sounds: Pick<AudioRetention, 'cut' | 'show'>;
  readonly places: Pick<PlaceIndex, 'regionAt'>;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

/** What visitors see of an answer and its reviews. */
interface OpenedAnswer extends Pick<Prediction, 'conditions' | 'model' | 'recording'> {
  readonly birds: readonly ShownBird[];
}

type ShownClip = ShownBird & { readonly clip: Stretch | null };

const MOST_OPENED = 32;
/** Narrower columns would be computed from the audio itself. */
const COLUMN_SECONDS = 0.07;
const MAX_HZ = 12_000;
const WEEKS_A_MONTH = 4;

export type SharedPredictions = ReturnType<typeof createSharedPredictions>;

/** What a link shows of a prediction, after its owner's reviews. */
export function createSharedPredictions({ predictions, sounds, places, log }: SharedPredictionsOptions) {
  const opened = createCachedWork<OpenedAnswer>(MOST_OPENED);

  const open = (row: SharedRow, visitor: ConnectedRequester): Promise<OpenedAnswer> =>
    opened([row.id, row.revision], visitor.signal, async (signal) => {
      const { prediction } = await predictions.answers.headOf(row, { ...visitor, signal });
      const { conditions, model, recording } = prediction;
      return { conditions, model, recording, birds: shownBirds(prediction, await predictions.reviews.of(row.id)) };
    });

  async function birdsOf(row: SharedRow, { birds, recording }: OpenedAnswer): Promise<readonly ShownClip[]> {
    const kept = await predictions.keptAudioOf(row.accountId, [row.id]);
    return birds.map((bird) => ({ ...bird, clip: clipOf(bird.best, kept.get(row.id), recording.durationSeconds) }));
  }

  /** @throws HttpProblem NOT_FOUND when that bird is not shown, or none of its audio is kept */
  async function findClip(row: SharedRow, scientificName: string, visitor: ConnectedRequester) {
    const birds = await birdsOf(row, await open(row, visitor));
    const clip = birds.find((bird) => bird.scientificName === scientificName)?.clip;
    if (clip == null) throw new HttpProblem('NOT_FOUND', {});
    return { clip, of: { accountId: row.accountId, predictionId: row.id } };
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
    /**
     * @param names in the requested language; null leaves them as stored
     * @throws HttpProblem NOT_FOUND, SERVER_BUSY
     */
    async describe(
      row: SharedRow,
      names: { language: string; of: ReadonlyMap<string, string> } | null,
      visitor: ConnectedRequester,
    ): Promise<SharedPrediction> {
      const answer = await open(row, visitor);
      const { licence, attribution } = answer.model;
      const birds = await birdsOf(row, answer);
      return {
        birds: birds.map(({ best: _, clip, ...bird }) => ({
          ...bird,
          commonName: names?.of.get(bird.scientificName) ?? bird.commonName,
          clip: clip && { durationSeconds: clip.endSeconds - clip.startSeconds, sound: row.sound },
        })),
        month: monthOf(answer.conditions),
        region: await regionOf(answer.conditions),
        language: names?.language ?? answer.conditions.language,
        model: { licence, attribution },
      };
    },

    /** The audio of a bird as a file. @throws HttpProblem NOT_FOUND, SOUND_NOT_READY, SERVER_BUSY */
    async soundOf(row: SharedRow, scientificName: string, visitor: ConnectedRequester): Promise<Uint8Array> {
      if (!row.sound) throw new HttpProblem('NOT_FOUND', {});
      const { clip, of } = await findClip(row, scientificName, visitor);
      return sounds.cut(of, clip, visitor);
    },

    /** Its spectrogram: `SHARED_ROWS` bytes a column. @throws HttpProblem NOT_FOUND, SOUND_NOT_READY, SERVER_BUSY */
    async pictureOf(row: SharedRow, scientificName: string, visitor: ConnectedRequester): Promise<Uint8Array> {
      const { clip, of } = await findClip(row, scientificName, visitor);
      const columns = Math.max(1, Math.floor((clip.endSeconds - clip.startSeconds) / COLUMN_SECONDS));
      return sounds.show(of, { ...clip, maxHz: MAX_HZ, columns, rows: SHARED_ROWS }, visitor);
    },
  };
}

/** A week of the model is a quarter of a month. */
function monthOf({ date, week }: Conditions): SharedPrediction['month'] {
  if (date) return { year: Number(date.slice(0, 4)), month: Number(date.slice(5, 7)) };
  return week === null ? null : { year: null, month: Math.ceil(week / WEEKS_A_MONTH) };
}

import type { KeepAudio, KeptAudio, KeptMoment, Recording } from '@chiffchaff/contract';

/** A recording of an account that has just been answered, and what was asked to be kept of its sound. */
export interface HeardSound {
  readonly accountId: string;
  readonly predictionId: string;
  /** The recording on disk. It is removed after the call; whoever keeps it takes it over by renaming it. */
  readonly uploadPath: string;
  readonly recording: Recording;
  /** What is worth hearing again. */
  readonly excerpts: readonly KeptMoment[];
  /** null when the request did not say: the account's setting counts. */
  readonly keepAudio: KeepAudio | null;
  /** Whether the person chose to have all of it for the next half hour, to listen to. */
  readonly listeningCopy: boolean;
}

/** What may be kept of recordings' sound, beside the predictions. Ids are those of predictions, never idempotency keys. */
export interface SoundKeeper {
  /**
   * Called when the prediction is stored and before its upload is removed; the answer waits for it, so what takes long is done
   * afterwards, with the file taken over. Called again for the same prediction when a killed process may not have come to its end:
   * then the upload may have been taken over already. A failure is logged and costs the sound, never the answer.
   */
  keepSound(sound: HeardSound): Promise<void>;
  /** What is kept now of these predictions; an id that is absent has nothing. */
  keptAudioOf(accountId: string, predictionIds: readonly string[]): Promise<ReadonlyMap<string, KeptAudio>>;
  /** Removes all sound of one prediction; called when its deletion cannot be undone any more. Does no harm twice. */
  forget(accountId: string, predictionId: string): Promise<void>;
  /** Removes all sound of an account that was deleted. Does no harm twice. */
  forgetAccount(accountId: string): Promise<void>;
}

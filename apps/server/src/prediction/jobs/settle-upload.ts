import type { AnswerHead } from '@chiffchaff/analysis';
import type { FastifyBaseLogger } from 'fastify';
import type { SoundKeeper } from '../sound-keeper.ts';
import type { UploadFolder } from '../upload-folder.ts';
import type { AnsweredUpload, PredictionJobs } from './prediction-jobs.ts';

export interface SettleUploadOptions {
  readonly jobs: PredictionJobs;
  readonly uploads: UploadFolder;
  readonly sounds: SoundKeeper;
  readonly log: FastifyBaseLogger;
}

/**
 * Hands the sound of what was answered to whoever keeps it, and removes the upload. The answer is stored by then: whatever fails here
 * is logged, and taken up again by the next start when the process was killed.
 */
export async function settleUpload(
  { jobs, uploads, sounds, log }: SettleUploadOptions,
  { id, accountId, uploadName, fields }: Omit<AnsweredUpload, 'accountId'> & { readonly accountId: string | null },
  { prediction: { recording }, excerpts }: AnswerHead,
): Promise<void> {
  try {
    if (accountId !== null) {
      const { keepAudio = null, listeningCopy } = fields;
      const uploadPath = uploads.pathOf(uploadName);
      const asked = { keepAudio, listeningCopy: listeningCopy === 'true' };
      await sounds.keepSound({ accountId, predictionId: id, uploadPath, recording, excerpts, ...asked });
    }
  } catch (error) {
    log.error({ err: error, predictionId: id }, 'the sound of a recording could not be kept');
  }
  await uploads.remove(uploadName);
  if (accountId === null || (await jobs.forgetUpload(id))) return;
  // Its account was deleted while its sound was put away, perhaps after the sound of that account had been removed.
  await sounds.forget(accountId, id);
}

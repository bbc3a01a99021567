import type { AnswerHead } from '@chiffchaff/analysis';
import type { FastifyBaseLogger } from 'fastify';
import type { AudioRetention } from '../audio/audio-retention.ts';
import type { UploadFolder } from '../incoming/upload-folder.ts';
import type { AnsweredUpload, JobStore } from './job-store.ts';

export interface FinalizeUploadOptions {
  readonly jobs: JobStore;
  readonly uploads: UploadFolder;
  readonly sounds: Pick<AudioRetention, 'keepSound' | 'forget'>;
  readonly log: FastifyBaseLogger;
}

/**
 * Keeps what is wanted of the sound of an answered recording, and removes the upload. The answer is stored by then: what fails here
 * is logged, and a start takes it up again when the process was killed.
 */
export async function finalizeUpload(
  { jobs, uploads, sounds, log }: FinalizeUploadOptions,
  { id, accountId, uploadName, fields }: AnsweredUpload,
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

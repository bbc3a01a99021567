/**
 * Choices for audio retention: nothing, a few seconds around the best detections of each species, all of a short recording and such
 * seconds of a longer one, or the whole recording.
 */
export const KEEP_AUDIO_CHOICES = ['nothing', 'moments', 'shortRecording', 'recording'] as const;
export type KeepAudio = (typeof KEEP_AUDIO_CHOICES)[number];

/** A shorter recording is a short one. */
export const SHORT_RECORDING_SECONDS = 60;

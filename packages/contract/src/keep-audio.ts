/** Choices for audio retention: nothing, a few seconds around the best detections of each species, or the whole recording. */
export const KEEP_AUDIO_CHOICES = ['nothing', 'moments', 'recording'] as const;
export type KeepAudio = (typeof KEEP_AUDIO_CHOICES)[number];

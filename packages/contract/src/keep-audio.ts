/** What may be kept of a recording's sound: nothing, a few seconds around the best detections of each species, or all of it. */
export const KEEP_AUDIO_CHOICES = ['nothing', 'moments', 'recording'] as const;
export type KeepAudio = (typeof KEEP_AUDIO_CHOICES)[number];

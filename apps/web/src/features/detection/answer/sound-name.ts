import type { TFunction } from 'i18next';

/**
 * The name of a sound that is not a bird's, by the model's label. Living things, and sounds that only another model knows, have no text here
 * and keep their label.
 */
export const soundName = (label: string, t: TFunction): string => t(`checkUp.sound.${label as 'Dog'}`, { defaultValue: label });

/** The same within a sentence: *a dog*. */
export const soundInSentence = (label: string, t: TFunction): string =>
  t(`noBird.sounds.${label as 'Dog'}`, { defaultValue: label });

import { EXPECTED_FROM } from '@chiffchaff/contract';

/** Lowest occurrence of each step that a reader sees; from the first one on, results call a bird *expected here*. */
export const OCCURRENCE_STEPS = [EXPECTED_FROM, 0.2, 0.5] as const;

/** The step that is reached: 0 (*sometimes*) to 2 (*very often*); −1 below all. */
export const occurrenceStep = (occurrence: number): number => OCCURRENCE_STEPS.findLastIndex((from) => occurrence >= from);

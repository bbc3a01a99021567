/**
 * The limits of the check-up in one place. They hold for sound, not for a model. `docs/check-up.md` says what each was measured on.
 */
export const checkUpThresholds = {
  clipping: {
    /** A wave that swings freely is above the upper part of its height for 53 % of the time above the lower part, a square wave always. */
    upperPart: 0.85,
    lowerPart: 0.5,
    flatness: 0.62,
    /** Waves of about the same height as the highest within 43 ms are looked at. */
    nearTop: 0.8,
    /** A top of fewer samples has no shape. */
    fewestSamples: 2,
    /** Resampling and lossy coding spread the one height that cuts off over so many decibels … */
    heightSpreadDecibels: 2.5,
    /** … and of the blocks that come up to it, at least so many must be cut off: what swings higher was not. */
    shareOfReaching: 0.5,
    /** A single bang is no finding. */
    leastShare: 0.01,
  },
  /** −40 dB: of the 16 bits of most recorders, seven are unused at the loudest moment. */
  quietPeak: 0.01,
  wind: {
    /** Hz of the rumble, and of where most birds are. */
    rumble: [20, 200],
    gusts: [20, 60],
    birds: [1000, 10_000],
    /** The rumble is so loud (−35 dB of full scale), and so many decibels above all birds together. */
    leastDecibels: -35,
    aboveBirdsDecibels: 20,
    /** Wind is strongest at the very bottom; engines, owls and guitars are not. */
    gustsBelowRumbleDecibels: 12,
    /** Rumble of which so much is in tones is a machine or a voice. */
    mostTones: 0.5,
    leastShare: 0.25,
    fewestFrames: 4,
  },
  hum: {
    /** Multiples of the mains frequency that are looked at, and how many must stand out. */
    multiples: 8,
    leastLines: 3,
    /** Powers above the median, and above the highest, of the neighbours within 16 Hz: a comb of closer lines is an engine. */
    aboveMedian: 20,
    aboveHighest: 3,
    leastDecibels: -55,
    /** Compared with all birds together. */
    aboveBirdsDecibels: -10,
    leastShare: 0.5,
    fewestFrames: 2,
  },
  bandLimit: {
    /** Above this hardly a bird is lost: goldcrests and treecreepers reach 8.5 kHz, tits 9 kHz. Hz. */
    highest: 10_000,
    lowest: 2000,
    /** The steady sound must fall by so much within `edge` Hz … */
    drop: 30,
    edge: 1000,
    /** … from a level that is there at all to one that no microphone gives (dB of full scale in 250 Hz; 16-bit noise has −118) … */
    leastDecibels: -95,
    emptyDecibels: -97,
    /** … and even loud moments must stay below it. */
    loudMargin: 6,
    /** The limit is where it has fallen by so much. */
    fallenBy: 15,
    steadyShare: 0.25,
    loudShare: 0.95,
    fewestFrames: 4,
  },
} as const;

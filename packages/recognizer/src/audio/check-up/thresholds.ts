/** The limits of the check-up. They apply to any model. `docs/check-up.md` says what they were measured on. */
export const checkUpThresholds = {
  clipping: {
    /** A sine is above `upperPart` of its height for 53 % of the time that it is above `lowerPart`, a square wave always. */
    upperPart: 0.85,
    lowerPart: 0.5,
    flatness: 0.62,
    /** Only waves at least this high, relative to the highest within 43 ms, are examined. */
    nearTop: 0.8,
    /** A wave whose highest sample is higher than this, relative to a top, has that top on its slope. Coding bends flat tops by less. */
    highestOfWave: 1.07,
    /** The shape of a shorter top cannot be judged. */
    fewestSamples: 2,
    /** Resampling and lossy coding spread the clipping height over this many decibels. */
    heightSpreadDecibels: 2.5,
    /** At least this share of the blocks that reach the clipping height must be clipped; those that go higher were not. */
    shareOfReaching: 0.5,
    /** A single bang is not a finding. */
    leastShare: 0.01,
  },
  /** −40 dB: about seven of a recorder's 16 bits are unused at the loudest moment. */
  quietPeak: 0.01,
  wind: {
    /** Hz: the rumble, its lowest part, and the range of most birds. */
    rumble: [20, 200],
    gusts: [20, 60],
    birds: [1000, 10_000],
    /** Lowest level of the rumble (dB full scale), and how many decibels it must be above all birds together. */
    leastDecibels: -35,
    aboveBirdsDecibels: 20,
    /** Wind is strongest at the lowest frequencies; engines, owls and guitars are not. */
    gustsBelowRumbleDecibels: 12,
    /** Rumble with a larger share in tones is a machine or a voice. */
    mostTones: 0.5,
    leastShare: 0.25,
    fewestFrames: 4,
  },
  hum: {
    /** Multiples of the mains frequency that are examined, and how many must stand out. */
    multiples: 8,
    leastLines: 3,
    /** Power of a line relative to the median and to the highest of its neighbours within 16 Hz: a comb of closer lines is an engine. */
    aboveMedian: 20,
    aboveHighest: 3,
    leastDecibels: -55,
    /** Relative to all birds together. */
    aboveBirdsDecibels: -10,
    leastShare: 0.5,
    fewestFrames: 2,
  },
  bandLimit: {
    /** Hz. A limit above this hardly affects birds: goldcrests and treecreepers reach 8.5 kHz, tits 9 kHz. */
    highest: 10_000,
    lowest: 2000,
    /** The steady sound must fall by this many decibels within `edge` Hz. */
    drop: 30,
    edge: 1000,
    /**
     * It must fall from at least the first level to at most the second, which no microphone delivers (dB full scale in 250 Hz;
     * 16-bit noise is at −118).
     */
    leastDecibels: -95,
    emptyDecibels: -97,
    /** Above the edge, even loud moments must stay this far below the steady level before it. */
    loudMargin: 6,
    /** The limit is where the steady sound has fallen by this many decibels. */
    fallenBy: 15,
    steadyShare: 0.25,
    loudShare: 0.95,
    fewestFrames: 4,
  },
} as const;

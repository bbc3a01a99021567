/**
 * `GET /v1/predictions/:id/overview`: levels of a whole recording, like those of its spectrogram, with this many bytes for each column. Its
 * columns are evenly spaced and at least a second long. Recordings shorter than `SHORT_RECORDING_SECONDS` have none.
 */
export const OVERVIEW_BANDS = 64;
/** Hz; upper end of the highest band. */
export const OVERVIEW_TOP_HZ = 15_000;

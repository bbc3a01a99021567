export type PredictionState = 'queued' | 'done' | 'failed';

/** One recording that was accepted whole: first a job of the queue, then an answer. */
export interface PredictionsTable {
  id: string;
  /** null without a sign-in; such a row goes when it is answered */
  accountId: string | null;
  idempotencyKey: string | null;
  /** SHA-256 over recording, file name and fields: tells whether a key is used for something else */
  requestHash: string;
  createdAtMs: number;
  state: PredictionState;
  /** JSON of the form's fields, as they were understood */
  fields: string;
  fileName: string | null;
  sha256: string;
  bytes: number;
  /** path below the upload folder; null when nothing is left there */
  uploadName: string | null;
  /** no longer used */
  receiver: string;
  /** times that the analysis process died of it, as far as that is certain */
  attempts: number;
  finishedAtMs: number | null;
  /** JSON of code and details, when it failed */
  problem: string | null;
  /** JSON of what a list shows, when it is done */
  summary: string | null;
  /** folded names of species and file, for searching */
  searchText: string | null;
  /** the prediction as deflated JSON, when it is done */
  answer: Uint8Array | null;
  /** It can be restored for a while. */
  deletedAtMs: number | null;
}

/** Deflated evidence of an answer, in parts that are each written at once. */
export interface PredictionEvidenceTable {
  predictionId: string;
  part: number;
  bytes: Uint8Array;
}

/** Species that an answer names. */
export interface PredictionSpeciesTable {
  predictionId: string;
  scientificName: string;
  commonName: string;
  confidence: number;
}

export interface PredictionTables {
  predictions: PredictionsTable;
  predictionEvidence: PredictionEvidenceTable;
  predictionSpecies: PredictionSpeciesTable;
}

/** A recording that arrives in pieces. How much of it is there, its file says. */
export interface ResumableUploadsTable {
  /** random; names its file */
  id: string;
  accountId: string;
  createdAtMs: number;
  /** of the whole recording, as its sender stated it */
  bytes: number;
  /** JSON of what its sender said about it */
  metadata: string;
  /** of the whole recording, once it has been asked about */
  sha256: string | null;
  /** when a prediction has taken it over: its file is gone, and only the same request may name it again */
  usedAtMs: number | null;
}

export interface ResumableUploadTables {
  resumableUploads: ResumableUploadsTable;
}

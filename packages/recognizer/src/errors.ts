/** Details of each error of the recogniser, by code. A closed set: after adding a row, the compiler shows what else to change. */
export interface RecognizerErrorDetails {
  /** A file of the model folder is missing or cannot be read. */
  MODEL_UNREADABLE: { readonly file: string };
  /** A file of the model is not the one that was installed. */
  MODEL_DAMAGED: { readonly file: string };
  /** The folder has another model than the one that was asked for. */
  MODEL_EXCHANGED: Record<string, never>;
  /** The files of the model do not match each other or the manifest, or the manifest is invalid. */
  MODEL_MISMATCH: { readonly found: string; readonly expected: string };
  /** A clip or an occurrence could not be computed, in Node not even at a second try. */
  INFERENCE_FAILED: { readonly reason: string };
  /** Stored evidence is incomplete, has an unknown format, or is a checkpoint with another clip step. */
  EVIDENCE_UNREADABLE: { readonly reason: string };
  /** The runner or the job was closed before or during the work. */
  RUNNER_CLOSED: Record<string, never>;
}

export type RecognizerErrorCode = keyof RecognizerErrorDetails;

/** Why audio could not be analysed. Cancellation throws the signal's reason instead. */
export class RecognizerError<Code extends RecognizerErrorCode = RecognizerErrorCode> extends Error {
  override readonly name = 'RecognizerError';
  readonly code: Code;
  readonly details: RecognizerErrorDetails[Code];

  constructor(code: Code, details: RecognizerErrorDetails[Code], options?: { cause?: unknown }) {
    super(code, options);
    this.code = code;
    this.details = details;
  }
}

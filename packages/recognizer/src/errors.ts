/** What each failure of the recogniser tells besides its code. A closed set: add a row and the compiler shows the rest. */
export interface RecognizerErrorDetails {
  /** A file of the model folder is missing or cannot be read. */
  MODEL_UNREADABLE: { readonly file: string };
  /** The model folder's files do not fit each other, or the manifest is no manifest. */
  MODEL_MISMATCH: { readonly found: string; readonly expected: string };
  /** A clip could not be analysed, not even at a second try. */
  INFERENCE_FAILED: { readonly reason: string };
  /** Stored evidence is not whole, or of a form that this version does not know. */
  EVIDENCE_UNREADABLE: { readonly reason: string };
  /** The workers were closed while work was under way, or before it began. */
  RUNNER_CLOSED: Record<string, never>;
}

export type RecognizerErrorCode = keyof RecognizerErrorDetails;

/** Why sound could not be analysed. Cancellation is no `RecognizerError`: the signal's reason is thrown as it is. */
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

export const SOUND_FILE = 'sound.wav';
export const NOTES_FILE = 'notes.json';

export type RecorderRequest =
  | { readonly kind: 'open'; readonly id: string; readonly sampleRate: number }
  | { readonly kind: 'samples'; readonly samples: Float32Array<ArrayBuffer> }
  | { readonly kind: 'notes'; readonly text: string }
  | { readonly kind: 'read'; readonly fromSample: number; readonly toSample: number }
  | { readonly kind: 'close' };

/** `full`: no space left · `refused`: the browser denies writing. Earlier writes stay. */
export type RecorderFailure = 'full' | 'refused';

export type RecorderReply =
  | { readonly kind: 'closed' }
  | { readonly kind: 'read'; readonly pcm: Int16Array<ArrayBuffer> }
  | { readonly kind: 'failed'; readonly why: RecorderFailure };

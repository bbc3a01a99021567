export interface CapturedPiece {
  /** mono, −1…1 */
  readonly samples: Float32Array<ArrayBuffer>;
  /** by the device's clock, when the last of them was captured */
  readonly atMs: number;
}

/*
 * Runs on the audio thread: collects the microphone's samples into pieces, so that the page receives 20 messages a second instead of 375.
 */

// TypeScript has no type library for this scope.
declare const sampleRate: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

const PIECES_A_SECOND = 20;

class Capture extends AudioWorkletProcessor {
  #piece = new Float32Array(Math.round(sampleRate / PIECES_A_SECOND));
  #filled = 0;

  process([input]: readonly (readonly Float32Array[])[]): boolean {
    const samples = input?.[0]; // one channel: the node mixes down
    for (const sample of samples ?? []) {
      this.#piece[this.#filled] = sample;
      this.#filled += 1;
      if (this.#filled === this.#piece.length) this.#send();
    }
    return true;
  }

  #send(): void {
    const piece: CapturedPiece = { samples: this.#piece, atMs: Date.now() };
    this.#piece = new Float32Array(piece.samples.length);
    this.#filled = 0;
    this.port.postMessage(piece, [piece.samples.buffer]);
  }
}

registerProcessor('capture', Capture);

import type { WebGraph } from '@chiffchaff/recognizer';
import { convertAudioModel } from './convert-audio.ts';
import { cutAudioModel } from './convert-body.ts';
import { convertOccurrenceModel } from './convert-occurrence.ts';
import type { OnnxModel } from './onnx-writer.ts';
import { shrinkBody } from './shrink-body.ts';
import { readTflite } from './tflite-reader.ts';

/** Must be raised whenever the converted files change: a model installed with another version is converted again. */
export const CONVERTER_VERSION = 5;

/** Stored in the graph's file. Does not depend on the source that the model came from. */
const metadata = {
  licence: 'CC-BY-NC-SA-4.0',
  source: 'BirdNET GLOBAL 6K V2.4, K. Lisa Yang Center for Conservation Bioacoustics and Chemnitz University of Technology',
  changes: 'converted to ONNX; window, Fourier transform and mel matrix joined into convolutions',
  converter_version: String(CONVERTER_VERSION),
};

/** Convert BirdNET's two TFLite files to ONNX graphs, ready to be encoded. Throw `ModelError`. */
export const convertBirdnetAudio = (file: Uint8Array): OnnxModel =>
  convertAudioModel(readTflite(file), { ...metadata, form: 'fast' });

/** The audio model for browsers. */
export interface WebModel {
  readonly graph: WebGraph & Readonly<Record<string, unknown>>;
  readonly weights: readonly Uint8Array[];
  readonly classes: number;
}

/** Converts BirdNET's audio model for browsers. Throws `ModelError`. */
export function convertBirdnetWebAudio(file: Uint8Array): WebModel {
  const { frontEnd, body, classes } = cutAudioModel(readTflite(file));
  const { parts, weights } = shrinkBody(body);
  const changes = 'cut at the first convolution, sizes fixed; weights reduced to float16, of the last layer to int8';
  return { graph: { ...metadata, changes, frontEnd, body: parts }, weights, classes };
}

export const convertBirdnetOccurrence = (file: Uint8Array): OnnxModel => convertOccurrenceModel(readTflite(file), metadata);

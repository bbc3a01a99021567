import { sha256Of } from '../sources/checksum.ts';
import { type AudioForm, convertAudioModel } from './convert-audio.ts';
import { convertOccurrenceModel } from './convert-occurrence.ts';
import type { OnnxModel } from './onnx-writer.ts';
import { readTflite } from './tflite-reader.ts';

/** Raised whenever the converted files change: an installed model of another version is converted again. */
export const converterVersion = 2;

/** Carried in the graph's file. With the source's hash in it, the graph's own hash stands for the weights as well. */
const metadataOf = (file: Uint8Array): Readonly<Record<string, string>> => ({
  licence: 'CC-BY-NC-SA-4.0',
  source: 'BirdNET GLOBAL 6K V2.4, K. Lisa Yang Center for Conservation Bioacoustics and Chemnitz University of Technology',
  source_sha256: sha256Of(file),
  changes: 'converted to ONNX; window, Fourier transform and mel matrix joined into one convolution',
  converter_version: String(converterVersion),
});

/** BirdNET's two TFLite files as ONNX graphs, ready to be encoded. Throw `ModelError`. */
export const convertBirdnetAudio = (file: Uint8Array, form: AudioForm): OnnxModel =>
  convertAudioModel(readTflite(file), form, { ...metadataOf(file), form });

export const convertBirdnetOccurrence = (file: Uint8Array): OnnxModel =>
  convertOccurrenceModel(readTflite(file), metadataOf(file));

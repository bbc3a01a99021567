import { problemSentence } from '@chiffchaff/contract';
import { PredictionError } from '../errors.ts';

/** The problem that decoding or analysing a recording ends with; code `none` if it succeeds. */
export async function failureOf(work: Promise<unknown>): Promise<{ code: string; sentence: string }> {
  try {
    await work;
  } catch (error) {
    if (error instanceof PredictionError) return { code: error.code, sentence: problemSentence(error.code, error.details) };
    throw error;
  }
  return { code: 'none', sentence: '' };
}

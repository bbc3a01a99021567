import { listedPrediction } from '@chiffchaff/contract';
import type { OutputFormatInput } from './formats.ts';
import type { OutputFormat } from './outcome.ts';

/** One line a file: `{"file", "prediction"}` or `{"file", "error": {"code", "message"}}`. */
export function createJsonLines({ tables }: OutputFormatInput): OutputFormat {
  return {
    head: '',
    one: (outcome) =>
      `${JSON.stringify(
        outcome.kind === 'answered'
          ? { file: outcome.shownAs, prediction: listedPrediction(outcome.prediction, tables) }
          : { file: outcome.shownAs, error: { code: outcome.code, message: outcome.message } },
      )}\n`,
    foot: () => '',
  };
}

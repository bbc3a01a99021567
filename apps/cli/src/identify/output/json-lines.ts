import type { OutputFormat } from './outcome.ts';

/** One line a file: `{"file", "prediction"}` or `{"file", "error": {"code", "message"}}`. */
export function createJsonLines(): OutputFormat {
  return {
    head: '',
    one: (outcome) =>
      `${JSON.stringify(
        outcome.kind === 'answered'
          ? { file: outcome.shownAs, prediction: outcome.prediction }
          : { file: outcome.shownAs, error: { code: outcome.code, message: outcome.message } },
      )}\n`,
    foot: () => '',
  };
}

import type { PredictionEvent } from '@chiffchaff/contract';

/**
 * Reads the server-sent events of a prediction as they arrive, until the server ends the stream.
 *
 * @returns false when the prediction does not exist (yet)
 * @throws TypeError when the connection breaks, the signal's reason when it aborts
 */
export async function followEvents(
  origin: string,
  { token, key, signal }: { readonly token: string; readonly key: string; readonly signal: AbortSignal },
  onEvent: (event: PredictionEvent) => void,
): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  const response = await fetch(`${origin}/v1/predictions/${key}/events`, { headers, signal });
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    return false;
  }
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const [, type, data] = /^event: (.*)\ndata: (.*)$/m.exec(event) ?? [];
      if (data !== undefined) onEvent({ type, ...JSON.parse(data) });
    }
  }
  return true;
}

import type { MessagePort, Worker } from 'node:worker_threads';
import type { Evidence } from '@chiffchaff/recognizer';
import type { ChannelOptions } from 'birpc';
import { errorOf, failureOf } from '../process/messages.ts';

/**
 * How calls pass between threads, without a timeout because work may take minutes. Evidence may have 100 MB and is transferred, not copied.
 * An error keeps its code and class.
 */
export function channelOf(port: MessagePort | Worker): ChannelOptions & { readonly timeout: -1 } {
  return {
    serialize: (message) => (message.e === undefined ? message : { ...message, e: failureOf(message.e) }),
    deserialize: (message) => (message.e === undefined ? message : { ...message, e: errorOf(message.e) }),
    post: (message) => port.postMessage(message, evidenceIn([...(message.a ?? []), message.r?.evidence]).flatMap(buffersOf)),
    on: (receive) => void port.on('message', receive),
    timeout: -1,
  };
}

const evidenceIn = (values: readonly unknown[]): Evidence[] =>
  values.filter((value): value is Evidence => typeof value === 'object' && value !== null && 'passages' in value);

function buffersOf({ clips, passages }: Evidence): ArrayBuffer[] {
  const columns = [...Object.values(clips), ...Object.values(passages)].filter((column) => ArrayBuffer.isView(column));
  return [...new Set(columns.map(({ buffer }) => buffer))].filter((buffer) => buffer instanceof ArrayBuffer);
}

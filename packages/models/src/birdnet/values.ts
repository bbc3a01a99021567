import { unexpected } from './graph.ts';
import type { ChannelPlaces } from './layers.ts';

/** The ONNX counterpart of a tensor: rows of samples, or maps `[batch, channels, height, width]` (TFLite has the channels last). */
export type Value =
  | { readonly kind: 'rows'; readonly name: string; readonly size: number }
  | {
      readonly kind: 'maps';
      readonly name: string;
      readonly channels: ChannelPlaces;
      readonly height: number;
      readonly width: number;
    };
export type Maps = Extract<Value, { kind: 'maps' }>;

/** The number of channels of maps that have no padding channels. */
export function dense({ channels }: Maps): number {
  if (channels.places.length !== channels.total) throw unexpected('a layer cannot take filled-up channels');
  return channels.total;
}

/** The shape of a broadcast result. */
export function widest(first: Value, second: Value): Value {
  if (first.kind === 'rows' || second.kind === 'rows') {
    const size = (value: Value): number => (value.kind === 'rows' ? value.size : 0);
    return size(first) >= size(second) ? first : second;
  }
  return first.height * first.width >= second.height * second.width ? first : second;
}

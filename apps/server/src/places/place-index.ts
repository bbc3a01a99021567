import type { Place } from '@chiffchaff/contract';

export interface PlaceIndex {
  search(query: string): Promise<readonly Place[]>;
  close(): Promise<void>;
}

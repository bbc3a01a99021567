import { skipToken, useQuery } from '@tanstack/react-query';
import { useAuthSnapshot } from '../session/session-context.tsx';

export interface Deleted {
  readonly count: number;
  /** of the deleted prediction; null for several */
  readonly id: string | null;
  /** milliseconds since 1970; null when nothing can be restored */
  readonly restorableUntilMs: number | null;
  /** It has been undone. */
  readonly isUndone?: true;
}

/** Query key for the last deletion. Like all data of an account, it is dropped when the session ends. */
export const lastDeletionKey = (localId: string | null) => ['account', localId, 'deleted'];

/** The last deletion, also once it is undone; null for none. */
export function useDeleted(): Deleted | null {
  const { localId } = useAuthSnapshot().state;
  return useQuery<Deleted | null>({ queryKey: lastDeletionKey(localId), queryFn: skipToken }).data ?? null;
}

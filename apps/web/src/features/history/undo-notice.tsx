import { useDeleted } from '../../platform/api/last-deletion.ts';
import { lazyScreen } from '../../ui/lazy-screen.tsx';

const OpenUndoNotice = lazyScreen('OpenUndoNotice', () => import('./open-undo-notice.tsx'));

/** The offer to undo the last deletion, on every screen. Loaded with the first one. */
export function UndoNotice() {
  const deleted = useDeleted();
  return deleted && <OpenUndoNotice key={deleted.restorableUntilMs} deleted={deleted} />;
}

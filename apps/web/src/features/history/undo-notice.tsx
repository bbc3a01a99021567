import { useDeleted } from '../../platform/api/last-deletion.ts';
import { laterScreen } from '../../ui/lazy-screen.tsx';

const OpenUndoNotice = laterScreen('OpenUndoNotice', () => import('./open-undo-notice.tsx'));

/** The offer to undo the last deletion, on every screen. Loaded with the first one. */
export function UndoNotice() {
  const deleted = useDeleted();
  return deleted && <OpenUndoNotice key={deleted.restorableUntilMs} deleted={deleted} />;
}

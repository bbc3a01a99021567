import { useTranslation } from '../../languages/i18n.ts';
import { useDeleted } from '../../platform/api/last-deletion.ts';
import { lazyScreen } from '../../ui/lazy-screen.tsx';

const OpenUndoNotice = lazyScreen('OpenUndoNotice', () => import('./open-undo-notice.tsx'));

/** The offer to undo the last deletion, on every screen. Loaded with the first one. */
export function UndoNotice() {
  const { t } = useTranslation();
  const last = useDeleted();
  const deleted = last?.isUndone ? null : last;
  return (
    <>
      {/* Announced once: it is there before its text, and does not count the seconds. */}
      <p role="status" className="visually-hidden">
        {last && t(deleted ? 'history.deleted' : 'history.restored', { count: last.count })}{' '}
        {deleted?.restorableUntilMs && t('history.undoable')}
      </p>
      {deleted && <OpenUndoNotice key={deleted.restorableUntilMs} deleted={deleted} />}
    </>
  );
}

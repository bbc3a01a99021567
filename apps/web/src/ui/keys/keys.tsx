import { useStore } from '../../platform/browser/store.ts';
import { lazyScreen } from '../lazy-screen.tsx';
import { keysShown, useKeysKey } from './keys-shown.ts';

const PageKeys = lazyScreen('PageKeys', () => import('./keys-dialog.tsx'));

/** Makes `?` show the list of keys. */
export function Keys() {
  useKeysKey();
  return useStore(keysShown) ? <PageKeys /> : null;
}

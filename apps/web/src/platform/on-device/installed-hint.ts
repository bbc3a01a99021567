import { readItem, writeItem } from '../browser/items.ts';

const ITEM = 'onDevice';

/** Whether the model was installed at the last check. Synchronous, but only a hint: `deviceModel` knows for certain. */
export const mayHaveDeviceModel = (): boolean => readItem('localStorage', ITEM) !== null;

export function rememberDeviceModel(isInstalled: boolean): void {
  writeItem('localStorage', ITEM, isInstalled ? 'installed' : null);
}

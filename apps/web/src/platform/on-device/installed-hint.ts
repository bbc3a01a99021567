import { readItem, writeItem } from '../storage/registry.ts';

/** Whether the model was installed at the last check. Synchronous, but only a hint: `deviceModel` knows for certain. */
export const mayHaveDeviceModel = (): boolean => readItem('localStorage', 'onDevice') !== null;

export const rememberDeviceModel = (isInstalled: boolean): boolean =>
  writeItem('localStorage', 'onDevice', isInstalled ? 'installed' : null);

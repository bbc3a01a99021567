const ITEM = 'onDevice';

/** Whether the model was installed on this device when that was last looked at. To be asked at once; the truth is `deviceModel`'s. */
export function mayHaveDeviceModel(): boolean {
  try {
    return window.localStorage.getItem(ITEM) !== null;
  } catch {
    return false;
  }
}

export function rememberDeviceModel(isInstalled: boolean): void {
  try {
    if (isInstalled) window.localStorage.setItem(ITEM, 'installed');
    else window.localStorage.removeItem(ITEM);
  } catch {
    // Where storage is forbidden, no model is kept either.
  }
}

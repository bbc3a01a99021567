const ITEM = 'onDevice';

/** Whether the model was installed at the last check. Synchronous, but only a hint: `deviceModel` knows for certain. */
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
    // Where storage is forbidden, no model can be installed either.
  }
}

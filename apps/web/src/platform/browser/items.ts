/* Items of the browser's storage. Where it is forbidden, as in some private windows, nothing is stored. */

type Where = 'localStorage' | 'sessionStorage';

export function readItem(where: Where, key: string): string | null {
  try {
    return window[where].getItem(key);
  } catch {
    return null;
  }
}

/** The value of an item that holds JSON; null if it is missing or damaged. */
export function readJson(where: Where, key: string): unknown {
  try {
    return JSON.parse(readItem(where, key) ?? 'null');
  } catch {
    return null;
  }
}

/** @param text null removes the item. @returns false if the browser refuses, as when there is no room */
export function writeItem(where: Where, key: string, text: string | null): boolean {
  try {
    if (text === null) window[where].removeItem(key);
    else window[where].setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

/** Local storage shared by several tabs of one browser: a write in one of them fires events in the others. */
export interface FakeTab {
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** Target of `storage`, `focus` and other events of this tab's window. */
  readonly events: EventTarget;
}

export interface FakeStorage {
  readonly items: Map<string, string>;
  openTab(): FakeTab;
  /** Called after every single change, at which another tab could read. */
  onChange: () => void;
  /** An item that the browser refuses to write. */
  refusedKey: string | null;
}

export function createFakeStorage(): FakeStorage {
  const tabs: EventTarget[] = [];
  const browser: FakeStorage = {
    items: new Map(),
    onChange: () => {},
    refusedKey: null,
    openTab() {
      const events = new EventTarget();
      tabs.push(events);
      const tell = (key: string) => {
        browser.onChange();
        for (const other of tabs) if (other !== events) other.dispatchEvent(Object.assign(new Event('storage'), { key }));
      };
      return {
        events,
        storage: {
          getItem: (key) => browser.items.get(key) ?? null,
          setItem(key, value) {
            if (key === browser.refusedKey) throw new DOMException('The storage is full', 'QuotaExceededError');
            if (browser.items.get(key) === value) return;
            browser.items.set(key, value);
            tell(key);
          },
          removeItem(key) {
            if (browser.items.delete(key)) tell(key);
          },
        },
      };
    },
  };
  return browser;
}

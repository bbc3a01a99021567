import { fallingNotes } from '@chiffchaff/bench/harness/recordings';
import type { Page } from 'playwright-core';

interface Row {
  readonly state: 'waiting' | 'leftOut' | 'arrived';
  /** The device's answer. */
  readonly prediction: object;
  readonly name?: string;
}

/** Puts a recording of the account that is signed in into the outbox, as the page does. */
export async function putAside(page: Page, { state, prediction, name = 'dawn.wav' }: Row): Promise<void> {
  const { buffer } = fallingNotes(4);
  await page.evaluate(
    async ({ sound, row }) => {
      const bytes = Uint8Array.from(atob(sound), (letter) => letter.charCodeAt(0));
      const id = crypto.randomUUID();
      if (row.state !== 'arrived') {
        const root = await navigator.storage.getDirectory();
        const folder = await root.getDirectoryHandle('outbox', { create: true });
        const file = await (await folder.getFileHandle(id, { create: true })).createWritable();
        await file.write(bytes);
        await file.close();
      }
      const opening = indexedDB.open('outbox', 1);
      opening.onupgradeneeded = () => {
        opening.result.createObjectStore('items', { keyPath: 'id' });
        opening.result.createObjectStore('sounds');
      };
      await new Promise((resolve, reject) => {
        opening.onsuccess = resolve;
        opening.onerror = reject;
      });
      const change = opening.result.transaction('items', 'readwrite');
      const keys = { id, key: crypto.randomUUID(), owner: localStorage.getItem('userId'), bytes: bytes.length };
      change.objectStore('items').put({ ...row, ...keys });
      await new Promise((resolve) => {
        change.oncomplete = resolve;
      });
      opening.result.close();
    },
    {
      sound: buffer.toString('base64'),
      row: {
        fileName: name,
        type: 'audio/wav',
        startedAt: '2026-05-01T05:12:00.000Z',
        addedAt: '2026-05-01T05:20:00.000Z',
        question: {
          place: null,
          placeSource: 'stated',
          timeZone: null,
          date: null,
          language: 'en',
        },
        prediction,
        state,
        wasTried: false,
        uploadUrl: null,
        error: null,
        serverPrediction: state === 'arrived' ? prediction : null,
      },
    },
  );
}

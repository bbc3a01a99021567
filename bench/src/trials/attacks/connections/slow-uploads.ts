import { setTimeout as delay } from 'node:timers/promises';
import { signUpSomebody } from '../../../harness/accounts.ts';
import type { Attack } from '../attack.ts';
import { faultsOf, startAttacked, watchOthers } from '../others.ts';
import { beginUpload, openRaw, type RawConnection } from './raw-connection.ts';

const accounts = 4;
const uploadsEach = 9;
const bytesPerSecond = 2300;
const announcedBytes = 100_000_000;
const seconds = 150;

/** Four accounts at one address upload nine recordings each, just above the server's minimum per window of 30 s: 83 kB/s in total. */
export const slowUploads: Attack = async ({ checkout, say }) => {
  const server = await startAttacked(checkout);
  try {
    const { origin } = server;
    const other = await signUpSomebody(origin);
    const uploads: RawConnection[] = [];
    for (let account = 0; account < accounts; account += 1) {
      const token = await signUpSomebody(origin);
      for (let n = 0; n < uploadsEach; n += 1) {
        const connection = openRaw(origin);
        beginUpload(connection, token, announcedBytes);
        uploads.push(connection);
      }
    }
    const trickle = setInterval(() => {
      for (const upload of uploads) upload.write(Buffer.alloc(bytesPerSecond));
    }, 1000);
    await delay(2000);
    say(`${uploads.length} slow uploads for ${seconds} s`);
    const others = await watchOthers(origin, other, AbortSignal.timeout(seconds * 1000));
    clearInterval(trickle);
    const answered = (text: string) => uploads.filter(({ received }) => received.includes(text)).length;
    const figures = {
      accounts,
      uploadsEach,
      bytesPerSecond,
      announcedBytes,
      seconds,
      others,
      slowUploadsRefused: answered('"SERVER_BUSY"'),
      slowUploadsEnded: answered('"UPLOAD_TIMEOUT"'),
      slowUploadsGoingOn: uploads.filter(({ isOpen, received }) => isOpen && received === '').length,
    };
    for (const upload of uploads) upload.end();
    return { ...figures, faults: faultsOf(others) };
  } finally {
    await server.stop();
  }
};

import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@chiffchaff/testing';
import { expect } from 'vitest';
import { FORM_TYPE, file, form } from './multipart.ts';
import { openRawClient, type RawClient } from './raw-client.ts';
import type { SignedInUser } from './signed-in.ts';
import type { TestServer } from './test-server.ts';

/** Activities of an account. Each promise resolves when its activity has ended, that of a request with its status. */
export interface GoingOn {
  readonly streams: readonly Promise<void>[];
  readonly analyses: readonly Promise<number>[];
  readonly upload: Promise<number>;
  readonly piece: Promise<number>;
}

const JOBS = 6;

/**
 * Starts every kind of activity of an account: running and queued jobs, streams of their events on every server, an incoming upload, and a
 * piece of a resumable one. The analyzers of the servers must be held.
 *
 * @param servers that share one database; the first gets the recordings, the last the piece
 */
export async function keepBusy(who: SignedInUser, servers: readonly TestServer[], streamsEach: number): Promise<GoingOn> {
  const origins = await Promise.all(servers.map(({ app, listen }) => (app.server.listening ? app.listeningOrigin : listen())));
  const ask = async (origin: string, head: string): Promise<RawClient> => {
    const client = await openRawClient(origin);
    client.write(`${head}\r\nHost: x\r\nAuthorization: ${who.headers.authorization}\r\n`);
    return client;
  };
  const statusOf = async (client: RawClient): Promise<number> => {
    const answer = await client.until('\r\n\r\n');
    client.cut();
    return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
  };

  const analyses = Array.from({ length: JOBS }, (_, index) =>
    who.predict([file(`sound ${index}`)], `job-${index}`).then(({ status }) => status),
  );
  const running = () => servers.flatMap(({ analyzer }) => analyzer.requests).length;
  await eventually(() => expect(running()).toBeGreaterThan(1));
  await eventually(async () => {
    expect((await who.send('GET', '/v1/predictions')).body.inWork).toHaveLength(JOBS);
  });

  const followers = await Promise.all(
    origins.flatMap((origin) =>
      Array.from({ length: streamsEach }, async (_, index) => {
        const client = await ask(origin, `GET /v1/predictions/job-${index % JOBS}/events HTTP/1.1`);
        client.write('\r\n');
        await client.until('event: progress');
        return client;
      }),
    ),
  );

  const sending = await ask(origins[0] ?? '', 'POST /get_prediction HTTP/1.1');
  sending.write(`Idempotency-Key: slow\r\nContent-Type: ${FORM_TYPE}\r\nContent-Length: 100000\r\n\r\n`);
  sending.write(form([file('x'.repeat(1000))], { end: false }));
  await eventually(async () => expect((await who.send('GET', '/v1/predictions/slow')).status).toBe(200));

  const pieceAt = origins.length - 1;
  const created = await servers[pieceAt]?.app.inject({
    method: 'POST',
    url: '/v1/uploads',
    headers: { ...who.headers, 'tus-resumable': '1.0.0', 'upload-length': '200000' },
  });
  const piece = await ask(origins[pieceAt] ?? '', `PATCH ${String(created?.headers.location)} HTTP/1.1`);
  piece.write('Tus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\n');
  piece.write(`Content-Length: 200000\r\n\r\n${'x'.repeat(50_000)}`);
  // Asking how much of it has arrived would interrupt it.
  await sleep(500);

  return { streams: followers.map(({ closed }) => closed), analyses, upload: statusOf(sending), piece: statusOf(piece) };
}

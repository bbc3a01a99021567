import { connect } from 'node:net';
import { signUpSomebody } from '../../../harness/accounts.ts';
import { ask } from '../../../harness/api.ts';
import { round } from '../../../harness/measures.ts';
import type { Attack } from '../attack.ts';
import { faultsOf, type Others, startAttacked, watchOthers } from '../others.ts';
import { attackerAddress } from './raw-connection.ts';

const loops = 16;
const seconds = 20;
const quietSeconds = 10;
/** The factor by which the loops may slow predictions down. */
const mostSlowdown = 3;

/** Sixteen loops request the same static response without pause, one path after another. */
export const staticLoops: Attack = async ({ checkout, say }) => {
  const server = await startAttacked(checkout, { LOG_LEVEL: 'info', REQUEST_LIMIT_PER_CLIENT: '' });
  try {
    const { origin } = server;
    const token = await signUpSomebody(origin);
    const page = String((await ask(origin, 'GET', '/', { headers: { accept: 'text/html' } })).body);
    const asset = /\/assets\/[\w.-]+\.js/.exec(page)?.[0];
    const paths = ['/openapi.json', '/docs/api/yaml', '/config.json', '/process', ...(asset === undefined ? [] : [asset])];
    const quiet = await watchOthers(origin, token, AbortSignal.timeout(quietSeconds * 1000));
    const underLoops: Record<string, Others & { readonly answersPerSecond: Readonly<Record<string, number>> }> = {};
    const faults: string[] = [];
    for (const path of paths) {
      say(`${loops} loops on ${path}`);
      const until = AbortSignal.timeout(seconds * 1000);
      const counts: Record<string, number> = {};
      const [others] = await Promise.all([
        watchOthers(origin, token, until),
        ...Array.from({ length: loops }, () => askAgainAndAgain(origin, path, counts, until)),
      ]);
      const answersPerSecond = Object.fromEntries(
        Object.entries(counts).map(([status, count]) => [status, round(count / seconds)]),
      );
      underLoops[path] = { ...others, answersPerSecond };
      faults.push(...faultsOf(others).map((fault) => `${path}: ${fault}`));
      if (others.answerMs.median > mostSlowdown * quiet.answerMs.median)
        faults.push(`${path}: predictions took ${others.answerMs.median} ms`);
    }
    return { loops, seconds, quiet, underLoops, faults };
  } finally {
    await server.stop();
  }
};

/** A loop that uses hardly any processor time, because client and server share the machine. Counts responses by status. */
function askAgainAndAgain(origin: string, path: string, counts: Record<string, number>, until: AbortSignal): Promise<void> {
  const { hostname, port } = new URL(origin);
  const request = Buffer.from(
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: text/html,*/*\r\nAccept-Encoding: gzip, deflate, br\r\n\r\n`,
  );
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: hostname, localAddress: attackerAddress });
    let head = '';
    let bytesLeft = 0;
    const ended = (): void => {
      socket.write(request);
      head = '';
    };
    socket.on('data', (chunk) => {
      if (bytesLeft > 0) {
        bytesLeft -= chunk.length;
        if (bytesLeft <= 0) ended();
        return;
      }
      head += chunk.toString('latin1');
      const headEnd = head.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const status = head.slice(9, 12);
      counts[status] = (counts[status] ?? 0) + 1;
      bytesLeft = Number(/\r\ncontent-length: (\d+)/i.exec(head.slice(0, headEnd))?.[1] ?? 0) - (head.length - headEnd - 4);
      if (bytesLeft <= 0) ended();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve());
    until.addEventListener('abort', () => socket.destroy());
    socket.write(request);
  });
}

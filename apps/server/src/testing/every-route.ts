import type { RouteOptions } from 'fastify';
import { FORM_TYPE, file, form } from './multipart.ts';

/** One way to call a route. */
export interface Walked {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE' | 'PATCH' | 'PUT';
  readonly url: string;
}

/** The bird that a prediction must have for every route to find something. */
export const bird = 'Fringilla coelebs';

/** Every way to call these routes. */
export const calledBy = (routes: readonly RouteOptions[]): Walked[] =>
  routes.flatMap(({ method, url }) =>
    [method]
      .flat()
      .filter((name) => name !== 'OPTIONS')
      .map((name) => ({ method: name as Walked['method'], url })),
  );

/** A request that the route understands: nothing may be refused for its form before it is refused for its sender. */
export function requestOf({ method, url }: Walked, id: string) {
  const path = url.replace(':id', id).replace(':scientificName', encodeURIComponent(bird)).replace('*', id);
  const query = url.endsWith('/spectrogram')
    ? '?startSeconds=0&endSeconds=1&maxHz=12000&columns=10&rows=32'
    : url.endsWith('/export')
      ? '?format=csv'
      : '';
  if (url === '/get_prediction')
    return { method, url: path, payload: form([file('another sound')]), headers: { 'content-type': FORM_TYPE } };
  const bodies: Readonly<Record<string, object>> = {
    ticket: { purpose: 'audio' },
    settings: { keepAudio: 'nothing' },
    ':scientificName': { verdict: 'confirmed' },
    terms: { version: '9' },
    links: { sound: false },
  };
  const payload = ['POST', 'PUT'].includes(method) ? { payload: bodies[url.split('/').at(-1) ?? ''] ?? {} } : {};
  const tus: Record<string, string> = url.startsWith('/v1/uploads') ? { 'tus-resumable': '1.0.0' } : {};
  return { method, url: `${path}${query}`, headers: tus, ...payload };
}

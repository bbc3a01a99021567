import { eventually } from '@chiffchaff/testing';
import type { AxiosInstance } from 'axios';
import { vi } from 'vitest';

/** A request sent by the page's HTTP client; the test responds to it like a browser. */
export class FakeRequest extends EventTarget {
  static readonly sent: FakeRequest[] = [];
  readonly upload = new EventTarget();
  method = '';
  url = '';
  status = 0;
  statusText = '';
  responseType = '';
  response: unknown = null;
  responseText = '';
  responseURL = '';
  readyState = 0;
  timeout = 0;
  withCredentials = false;
  body: unknown = null;
  wasAborted = false;
  readonly requestHeaders: Record<string, string> = {};
  onloadend: (() => void) | null = null;
  onerror: ((event: Event) => void) | null = null;
  onabort: (() => void) | null = null;
  ontimeout: (() => void) | null = null;
  #headers = '';

  open(method: string, url: string) {
    this.method = method;
    this.url = url;
  }
  setRequestHeader(name: string, value: string) {
    this.requestHeaders[name.toLowerCase()] = value;
  }
  getAllResponseHeaders = () => this.#headers;
  send(body: unknown) {
    this.body = body;
    FakeRequest.sent.push(this);
  }
  abort() {
    this.wasAborted = true;
  }

  /** Reports upload progress. */
  progress(loaded: number, total: number) {
    this.upload.dispatchEvent(Object.assign(new Event('progress'), { loaded, total, lengthComputable: true }));
  }
  answer(status: number, body: unknown, headers: { readonly [name: string]: string } = {}) {
    this.status = status;
    this.readyState = 4;
    this.responseText = typeof body === 'string' ? body : JSON.stringify(body);
    this.response = body instanceof ArrayBuffer ? body : this.responseText;
    this.#headers = Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\r\n');
    this.onloadend?.();
  }
  breakOff(how: 'network' | 'abort' | 'timeout') {
    if (how === 'network') this.onerror?.(new Event('error'));
    else if (how === 'abort') this.onabort?.();
    else this.ontimeout?.();
  }
}

/** Replaces the browser's transport with the fake one. */
export function useFakeTransport(): void {
  FakeRequest.sent.length = 0;
  vi.stubGlobal('XMLHttpRequest', FakeRequest);
}

/** Under test, axios would choose the Node.js transport; the page uses the browser's. */
export function overFakeTransport(http: AxiosInstance): AxiosInstance {
  http.defaults.adapter = 'xhr';
  return http;
}

/** Waits for the next request. */
export const nextRequest = () =>
  eventually(() => {
    const request = FakeRequest.sent.shift();
    if (!request) throw new Error('No request has been sent');
    return request;
  });

import { afterEach, beforeEach, describe, expect, it, type Mock, vi } from 'vitest';
import { createConnection } from './connection.ts';

let reachable: boolean;
let reach: Mock<() => Promise<boolean>>;

beforeEach(() => {
  reachable = true;
  reach = vi.fn(async () => reachable);
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

const settle = () => vi.advanceTimersByTimeAsync(0);

describe('The connection to the server', () => {
  it('counts as present, without a test request, until a call fails or the browser reports a loss', async () => {
    const connection = createConnection(reach);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(connection.snapshot()).toBe(true);
    expect(reach).not.toHaveBeenCalled();
  });

  it('counts as present when only the internet is gone and the server answers', async () => {
    const connection = createConnection(reach);
    window.dispatchEvent(new Event('offline'));
    await settle();
    expect(reach).toHaveBeenCalledTimes(1);
    expect(connection.snapshot()).toBe(true);
  });

  it('counts as lost when neither a call nor the server answers, and as present again within 10 s', async () => {
    const connection = createConnection(reach);
    const heard: boolean[] = [];
    connection.subscribe(() => heard.push(connection.snapshot()));
    reachable = false;
    connection.check();
    await settle();
    expect(connection.snapshot()).toBe(false);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(reach).toHaveBeenCalledTimes(2);
    reachable = true;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(connection.snapshot()).toBe(true);
    expect(heard).toEqual([false, true]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(reach).toHaveBeenCalledTimes(3);
  });

  it('is tested at once when the browser says that it is back', async () => {
    const connection = createConnection(reach);
    reachable = false;
    connection.check();
    await settle();
    reachable = true;
    window.dispatchEvent(new Event('online'));
    await settle();
    expect(connection.snapshot()).toBe(true);
  });
});

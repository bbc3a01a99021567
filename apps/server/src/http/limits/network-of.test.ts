import { describe, expect, it } from 'vitest';
import { networkOf } from './network-of.ts';

describe('The network to which requests are counted (`networkOf`)', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:0db8:0001:0002:ffff::1', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
  ])('is, for the address %s, %s', (address, network) => expect(networkOf(address)).toBe(network));
});

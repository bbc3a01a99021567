import ipaddr from 'ipaddr.js';

/**
 * An IPv4 address, or the /64 network of an IPv6 address: a household has all of its 2⁶⁴ addresses, so counting single ones would limit
 * nothing.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const found = ipaddr.process(address);
  if (found instanceof ipaddr.IPv4) return found.toString();
  return found.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}

/** Interleaves channels. @param planes one array per channel, all of the same length */
export function interleave(planes: readonly Float32Array[]): Float32Array {
  const [first] = planes;
  if (first === undefined || planes.length === 1) return first ?? new Float32Array(0);
  const together = new Float32Array(first.length * planes.length);
  for (const [channel, plane] of planes.entries()) {
    for (let frame = 0; frame < plane.length; frame++) together[frame * planes.length + channel] = plane[frame] ?? 0;
  }
  return together;
}

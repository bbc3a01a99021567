import type { MarkCluster } from './mark.ts';

const middleOf = ({ startSeconds, endSeconds }: MarkCluster): number => (startSeconds + endSeconds) / 2;

function nearest(clusters: readonly MarkCluster[] | undefined, to: MarkCluster): MarkCluster | undefined {
  const distance = (cluster: MarkCluster) => Math.abs(middleOf(cluster) - middleOf(to));
  return clusters?.toSorted((one, other) => distance(one) - distance(other))[0];
}

/**
 * Where a key leads from a button: arrows to its neighbours in its lane and to the nearest ones in the lanes above and below, Home and
 * End to the first and last of its lane.
 *
 * @param lanes the buttons of each lane, from top to bottom, in order of time
 * @returns the button itself if there is none beyond it; null for a key that leads nowhere
 */
export function clusterAt(lanes: readonly (readonly MarkCluster[])[], from: MarkCluster, key: string): MarkCluster | null {
  const lane = lanes.findIndex((clusters) => clusters.includes(from));
  const own = lanes[lane] ?? [];
  const at = own.indexOf(from);
  if (key === 'ArrowLeft') return own[at - 1] ?? from;
  if (key === 'ArrowRight') return own[at + 1] ?? from;
  if (key === 'ArrowUp') return nearest(lanes[lane - 1], from) ?? from;
  if (key === 'ArrowDown') return nearest(lanes[lane + 1], from) ?? from;
  if (key === 'Home') return own[0] ?? from;
  if (key === 'End') return own.at(-1) ?? from;
  return null;
}

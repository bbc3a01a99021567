import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import land from 'world-atlas/land-110m.json';

/**
 * Natural Earth's land at 1:110 million as an SVG path in degrees, north up. Shores that cross the date line continue beyond ±180°. Leaves
 * out Antarctica.
 */
export function landPath(): string {
  // The type that the package documents for this file.
  const topology = land as unknown as Topology<{ land: GeometryCollection }>;
  const polygons = feature(topology, topology.objects.land).features.flatMap(({ geometry }) =>
    geometry.type === 'MultiPolygon' ? geometry.coordinates : [],
  );
  return polygons
    .flat()
    .filter((ring) => ring.some(([, latitude = 0]) => latitude > -60))
    .map((ring) =>
      ring
        .map(([longitude = 0, latitude = 0], at) => {
          const [before = longitude, beforeLatitude = latitude] = ring[at - 1] ?? [];
          const east = ((longitude - before + 540) % 360) - 180;
          return at === 0
            ? `M${toHundredth(longitude)} ${toHundredth(-latitude)}`
            : `l${toHundredth(east)} ${toHundredth(beforeLatitude - latitude)}`;
        })
        .join(''),
    )
    .join('');
}

const toHundredth = (degrees: number): number => Math.round(degrees * 100) / 100;

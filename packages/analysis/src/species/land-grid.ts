import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rangeCellAt, rangeGrid } from '@chiffchaff/contract';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';

/** Natural Earth's land at 1:50 million, from the package `world-atlas`. */
const LAND = fileURLToPath(import.meta.resolve('world-atlas/land-50m.json'));

/** Points sampled in a cell, along each side. */
const POINTS = 8;

/** A grid cell that contains land. */
export interface LandCell {
  /** row × columns + column */
  readonly index: number;
  /** mean position of the sampled points on its land */
  readonly latitude: number;
  readonly longitude: number;
}

type Ring = readonly (readonly [longitude: number, latitude: number])[];

/**
 * The cells with land, row by row. A cell whose land is too small to hit a sampled point is placed at the mean of its coastline's points.
 */
export function readLandCells(): LandCell[] {
  const { north, columns, rows, degrees } = rangeGrid;
  const sums = new Map<number, { points: number; latitude: number; longitude: number }>();
  const enter = (index: number, latitude: number, longitude: number): void => {
    const sum = sums.get(index) ?? { points: 0, latitude: 0, longitude: 0 };
    sums.set(index, { points: sum.points + 1, latitude: sum.latitude + latitude, longitude: sum.longitude + longitude });
  };
  const rings = readRings();
  const step = degrees / POINTS;
  const points = columns * POINTS;
  const land = new Uint8Array(points * rows * POINTS);
  for (const ring of rings) fill(land, ring, points, step);
  for (const [at, isLand] of land.entries()) {
    if (isLand === 0) continue;
    const [line, point] = [Math.floor(at / points), at % points];
    const index = Math.floor(line / POINTS) * columns + Math.floor(point / POINTS);
    enter(index, north - (line + 0.5) * step, -180 + (point + 0.5) * step);
  }
  for (const [index, shore] of shoresByCell(rings)) {
    if (!sums.has(index)) for (const [longitude, latitude] of shore) enter(index, latitude, longitude);
  }
  return [...sums]
    .map(([index, { points, latitude, longitude }]) => ({
      index,
      latitude: latitude / points,
      longitude: longitude / points,
    }))
    .sort((one, other) => one.index - other.index);
}

/**
 * Inverts the points inside a ring, between each odd and the next even coastline of a line; a ring inside a ring becomes water again.
 *
 * @param land one byte a point, line by line
 */
function fill(land: Uint8Array, ring: Ring, points: number, step: number): void {
  const shores = new Map<number, number[]>();
  for (const [at, [longitude, latitude]] of ring.entries()) {
    const [nextLongitude, nextLatitude] = ring[at + 1] ?? [longitude, latitude];
    const lineOf = (degrees: number): number => Math.ceil((rangeGrid.north - degrees) / step - 0.5);
    const [first, end] = [lineOf(Math.max(latitude, nextLatitude)), lineOf(Math.min(latitude, nextLatitude))];
    for (let line = Math.max(0, first); line < Math.min(end, land.length / points); line++) {
      const share = (rangeGrid.north - (line + 0.5) * step - latitude) / (nextLatitude - latitude);
      const shore = (longitude + share * (nextLongitude - longitude) + 180) / step - 0.5;
      const known = shores.get(line);
      if (known) known.push(shore);
      else shores.set(line, [shore]);
    }
  }
  for (const [line, onLine] of shores) {
    onLine.sort((one, other) => one - other);
    for (let pair = 0; pair + 1 < onLine.length; pair += 2) {
      for (let at = Math.ceil(onLine[pair] ?? 0); at < (onLine[pair + 1] ?? 0); at++) {
        const point = line * points + (((at % points) + points) % points);
        land[point] = 1 - (land[point] ?? 0);
      }
    }
  }
}

function shoresByCell(rings: readonly Ring[]): Map<number, (readonly [number, number])[]> {
  const shores = new Map<number, (readonly [number, number])[]>();
  for (const [longitude, latitude] of rings.flat()) {
    const wrapped = ((((longitude + 180) % 360) + 360) % 360) - 180;
    const index = rangeCellAt(latitude, wrapped);
    if (index < 0 || index >= rangeGrid.columns * rangeGrid.rows) continue;
    const known = shores.get(index);
    if (known) known.push([wrapped, latitude]);
    else shores.set(index, [[wrapped, latitude]]);
  }
  return shores;
}

/**
 * Coastlines as closed rings. A ring that crosses the date line continues beyond ±180° instead of jumping. Antarctica, which the grid
 * leaves out, is missing.
 */
function readRings(): Ring[] {
  const topology = JSON.parse(readFileSync(LAND, 'utf8')) as Topology<{ land: GeometryCollection }>;
  const polygons = feature(topology, topology.objects.land).features.flatMap(({ geometry }) =>
    geometry.type === 'MultiPolygon' ? geometry.coordinates : geometry.type === 'Polygon' ? [geometry.coordinates] : [],
  );
  return polygons.flat().flatMap((positions) => {
    const ring: [number, number][] = [];
    for (const [longitude = 0, latitude = 0] of positions) {
      const before = ring.at(-1)?.[0] ?? longitude;
      ring.push([longitude + 360 * Math.round((before - longitude) / 360), latitude]);
    }
    // A ring that does not end where it began goes around the pole: Antarctica.
    return Math.abs((ring[0]?.[0] ?? 0) - (ring.at(-1)?.[0] ?? 0)) > 1 ? [] : [ring];
  });
}

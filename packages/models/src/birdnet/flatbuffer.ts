/**
 * Reads FlatBuffers tables without generated code (https://flatbuffers.dev/internals/).
 *
 * A table starts with a signed offset back to its vtable; the vtable lists, per field, where in the table the value is (0 = absent,
 * the default applies). Everything is little-endian.
 */
export interface FlatTable {
  int8(field: number, absent?: number): number;
  int32(field: number, absent?: number): number;
  uint32(field: number, absent?: number): number;
  text(field: number): string;
  table(field: number): FlatTable | null;
  tables(field: number): FlatTable[];
  int32s(field: number): number[];
  /** A view into the file, not a copy. */
  bytes(field: number): Uint8Array;
}

export function rootTable(file: Uint8Array): FlatTable {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  return tableAt(file, view, view.getUint32(0, true));
}

function tableAt(file: Uint8Array, view: DataView, at: number): FlatTable {
  const vtable = at - view.getInt32(at, true);
  const vtableBytes = view.getUint16(vtable, true);
  /** Position of a field's value, 0 when the field is absent. */
  const position = (field: number): number => {
    const entry = 4 + 2 * field;
    if (entry >= vtableBytes) return 0;
    const offset = view.getUint16(vtable + entry, true);
    return offset === 0 ? 0 : at + offset;
  };
  const target = (where: number): number => where + view.getUint32(where, true);
  const vector = (field: number): { start: number; length: number } => {
    const where = position(field);
    if (where === 0) return { start: 0, length: 0 };
    const header = target(where);
    return { start: header + 4, length: view.getUint32(header, true) };
  };
  const slice = (field: number): Uint8Array => {
    const { start, length } = vector(field);
    return file.subarray(start, start + length);
  };
  const read = (field: number, absent: number, get: (where: number) => number): number => {
    const where = position(field);
    return where === 0 ? absent : get(where);
  };
  return {
    int8: (field, absent = 0) => read(field, absent, (where) => view.getInt8(where)),
    int32: (field, absent = 0) => read(field, absent, (where) => view.getInt32(where, true)),
    uint32: (field, absent = 0) => read(field, absent, (where) => view.getUint32(where, true)),
    text: (field) => new TextDecoder().decode(slice(field)),
    table: (field) => {
      const where = position(field);
      return where === 0 ? null : tableAt(file, view, target(where));
    },
    tables: (field) => {
      const { start, length } = vector(field);
      return Array.from({ length }, (_, index) => tableAt(file, view, target(start + 4 * index)));
    },
    int32s: (field) => {
      const { start, length } = vector(field);
      return Array.from({ length }, (_, index) => view.getInt32(start + 4 * index, true));
    },
    bytes: slice,
  };
}

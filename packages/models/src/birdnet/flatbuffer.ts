import { ByteBuffer } from 'flatbuffers';

/** Reads tables of a FlatBuffers file by the numbers of their fields, without generated code. */
export interface FlatTable {
  int8(field: number): number;
  int32(field: number): number;
  text(field: number): string;
  table(field: number): FlatTable | null;
  tables(field: number): FlatTable[];
  int32s(field: number): number[];
  /** A view into the file, not a copy. */
  bytes(field: number): Uint8Array;
}

export function rootTable(file: Uint8Array): FlatTable {
  const buffer = new ByteBuffer(file);
  return tableAt(buffer, buffer.__indirect(0));
}

function tableAt(buffer: ByteBuffer, at: number): FlatTable {
  /** Position of a field's value; null when it is absent, and the default 0 applies. */
  const position = (field: number): number | null => {
    const offset = buffer.__offset(at, 4 + 2 * field);
    return offset === 0 ? null : at + offset;
  };
  const read = <Value>(field: number, absent: Value, get: (where: number) => Value): Value => {
    const where = position(field);
    return where === null ? absent : get(where);
  };
  const items = <Item>(field: number, get: (where: number) => Item): Item[] =>
    read<Item[]>(field, [], (where) =>
      Array.from({ length: buffer.__vector_len(where) }, (_, index) => get(buffer.__vector(where) + 4 * index)),
    );
  const bytes = (field: number): Uint8Array =>
    read(field, new Uint8Array(), (where) => {
      const start = buffer.__vector(where);
      return buffer.bytes().subarray(start, start + buffer.__vector_len(where));
    });
  return {
    int8: (field) => read(field, 0, (where) => buffer.readInt8(where)),
    int32: (field) => read(field, 0, (where) => buffer.readInt32(where)),
    text: (field) => new TextDecoder().decode(bytes(field)),
    table: (field) => read<FlatTable | null>(field, null, (where) => tableAt(buffer, buffer.__indirect(where))),
    tables: (field) => items(field, (where) => tableAt(buffer, buffer.__indirect(where))),
    int32s: (field) => items(field, (where) => buffer.readInt32(where)),
    bytes,
  };
}

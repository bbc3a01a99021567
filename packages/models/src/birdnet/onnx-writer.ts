/**
 * Writes ONNX files (onnx/onnx.proto, IR version 8): the few messages that a converted model needs, in protobuf's wire format.
 *
 * The result is a list of pieces instead of one array: weights are passed on as views, so that a file of 50 MB is never held twice.
 */
export interface OnnxNode {
  readonly kind: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: Readonly<Record<string, OnnxAttribute>>;
}

/** Integers. */
export type OnnxAttribute = number | readonly number[];

export interface OnnxTensor {
  readonly name: string;
  readonly dims: readonly number[];
  readonly data: Float32Array | BigInt64Array;
}

/** A named float32 input or output; a dimension given as text is dynamic. */
interface OnnxValue {
  readonly name: string;
  readonly dims: readonly (number | string)[];
}

export interface OnnxModel {
  readonly name: string;
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  readonly nodes: readonly OnnxNode[];
  readonly tensors: readonly OnnxTensor[];
  /** Free text stored in the file, e.g. licence and source. */
  readonly metadata: Readonly<Record<string, string>>;
}

type Pieces = readonly Uint8Array[];

/**
 * Encodes a model: the bytes of the graph, and those of its large weights if they have a separate file.
 *
 * @param weightsFile name of the file for large weights, beside the graph's. ONNX Runtime maps it into memory, so that several
 * sessions share one copy. null keeps everything in the graph's file
 */
export function encodeOnnx(
  model: OnnxModel,
  weightsFile: string | null = null,
): { readonly graph: Pieces; readonly weights: Pieces } {
  const store = createWeightStore(weightsFile);
  const graph = joined([
    integer(1, IR_VERSION),
    text(2, 'chiffchaff'),
    message(7, encodeGraph(model, store)),
    message(8, integer(2, OPSET)),
    ...Object.entries(model.metadata).map(([key, value]) => message(14, joined([text(1, key), text(2, value)]))),
  ]);
  return { graph, weights: store.pieces };
}

type WeightStore = ReturnType<typeof createWeightStore>;

/** Offsets that every system can map (4 KiB, on Windows 64 KiB). Smaller weights stay in the graph. */
const MAP_BYTES = 65_536;

function createWeightStore(file: string | null) {
  const pieces: Uint8Array[] = [];
  let length = 0;
  return {
    pieces: pieces as Pieces,
    /** The position of weights in their file, or null if they stay in the graph. */
    place: (bytes: Uint8Array): { readonly file: string; readonly offset: number } | null => {
      if (file === null || bytes.byteLength < MAP_BYTES) return null;
      const gap = (MAP_BYTES - (length % MAP_BYTES)) % MAP_BYTES;
      const offset = length + gap;
      pieces.push(new Uint8Array(gap), bytes);
      length = offset + bytes.byteLength;
      return { file, offset };
    },
  };
}

const IR_VERSION = 8;
const OPSET = 17;

/** Numbers of element types (`TensorProto.DataType`). */
const elementType = { float32: 1, int64: 7 };

const encodeGraph = (model: OnnxModel, store: WeightStore): Pieces =>
  joined([
    ...model.nodes.map((node, index) => message(1, encodeNode(node, index))),
    text(2, model.name),
    ...model.tensors.map((tensor) => message(5, encodeTensor(tensor, store))),
    ...model.inputs.map((value) => message(11, encodeValue(value))),
    ...model.outputs.map((value) => message(12, encodeValue(value))),
  ]);

const encodeNode = (node: OnnxNode, index: number): Pieces =>
  joined([
    ...node.inputs.map((name) => text(1, name)),
    ...node.outputs.map((name) => text(2, name)),
    text(3, `${node.kind}_${index}`),
    text(4, node.kind),
    ...Object.entries(node.attributes).map(([name, value]) => message(5, encodeAttribute(name, value))),
  ]);

const attributeTypes = { int: 2, ints: 7 };

function encodeAttribute(name: string, value: OnnxAttribute): Pieces {
  if (typeof value === 'number') return joined([text(1, name), integer(3, value), integer(20, attributeTypes.int)]);
  return joined([text(1, name), ...value.map((item) => integer(8, item)), integer(20, attributeTypes.ints)]);
}

function encodeTensor({ name, dims, data }: OnnxTensor, store: WeightStore): Pieces {
  const size = dims.reduce((product, dim) => product * dim, 1);
  if (size !== data.length) throw new Error(`tensor ${name}: ${data.length} numbers for dimensions ${dims.join(' × ')}`);
  const content = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const place = store.place(content);
  return joined([
    ...dims.map((dim) => integer(1, dim)),
    integer(2, elementTypeOf(data)),
    text(8, name),
    ...(place === null ? [bytes(9, content)] : [encodePlace(place.file, place.offset, content.byteLength)]),
  ]);
}

const elementTypeOf = (data: OnnxTensor['data']): number =>
  data instanceof Float32Array ? elementType.float32 : elementType.int64;

const EXTERNAL = 1;

function encodePlace(file: string, offset: number, length: number): Pieces {
  const entries = { location: file, offset: String(offset), length: String(length) };
  const encoded = Object.entries(entries).map(([key, value]) => message(13, joined([text(1, key), text(2, value)])));
  return joined([...encoded, integer(14, EXTERNAL)]);
}

function encodeValue({ name, dims }: OnnxValue): Pieces {
  const shape = dims.map((dim) => message(1, typeof dim === 'number' ? integer(1, dim) : text(2, dim)));
  return joined([text(1, name), message(2, message(1, joined([integer(1, elementType.float32), message(2, joined(shape))])))]);
}

const joined = (parts: readonly Pieces[]): Pieces => parts.flat();

const wireTypes = { varint: 0, lengthDelimited: 2 };

const key = (field: number, wireType: number): number[] => varint(field * 8 + wireType);

/** Base 128, least significant group first; every number written here is a non-negative integer below 2⁵³, or −1. */
function varint(value: number): number[] {
  let rest = BigInt.asUintN(64, BigInt(value));
  const groups: number[] = [];
  while (rest > 0x7fn) {
    groups.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  groups.push(Number(rest));
  return groups;
}

const integer = (field: number, value: number): Pieces => [Uint8Array.from([...key(field, wireTypes.varint), ...varint(value)])];

const bytes = (field: number, value: Uint8Array): Pieces => message(field, [value]);

const text = (field: number, value: string): Pieces => bytes(field, new TextEncoder().encode(value));

function message(field: number, content: Pieces): Pieces {
  const length = content.reduce((sum, piece) => sum + piece.byteLength, 0);
  return [Uint8Array.from([...key(field, wireTypes.lengthDelimited), ...varint(length)]), ...content];
}

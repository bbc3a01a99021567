import { ModelError } from '../errors.ts';
import type { FlatTable } from './flatbuffer.ts';

/** Tensor types of TFLite that BirdNET's files use; any other is `other`. */
export type TensorType = 'float32' | 'float16' | 'int32' | 'other';

export interface Tensor {
  readonly index: number;
  readonly name: string;
  /** As stored. A dimension that depends on the batch or on the clip's length may be 1 here: do not rely on those. */
  readonly shape: readonly number[];
  readonly type: TensorType;
  /** The bytes of a constant (a view into the file), `null` if the tensor is computed. */
  readonly data: Uint8Array | null;
}

export interface Operator {
  /** Position in the order of execution. */
  readonly index: number;
  /** TFLite's name, e.g. `CONV_2D`. Others have a description, e.g. `builtin operator 32`. */
  readonly kind: string;
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
  readonly options: FlatTable | null;
}

export interface Graph {
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
  readonly operators: readonly Operator[];
  /** The operator that computes a tensor; `undefined` for inputs and constants. */
  producer(tensor: Tensor): Operator | undefined;
  consumers(tensor: Tensor): readonly Operator[];
}

export function createGraph(inputs: readonly Tensor[], outputs: readonly Tensor[], operators: readonly Operator[]): Graph {
  const producers = new Map<Tensor, Operator>();
  const consumers = new Map<Tensor, Operator[]>();
  for (const operator of operators) {
    for (const tensor of operator.outputs) producers.set(tensor, operator);
    for (const tensor of new Set(operator.inputs)) {
      const known = consumers.get(tensor);
      if (known === undefined) consumers.set(tensor, [operator]);
      else known.push(operator);
    }
  }
  return {
    inputs,
    outputs,
    operators,
    producer: (tensor) => producers.get(tensor),
    consumers: (tensor) => consumers.get(tensor) ?? [],
  };
}

/** The error for a TFLite file that is not built as expected. */
export const unexpected = (what: string): ModelError =>
  new ModelError(
    'GRAPH_UNEXPECTED',
    `Conversion stopped: ${what}. This is not a build of the model that this version can convert; use one of the listed sources.`,
  );

export function inputAt(operator: Operator, position: number): Tensor {
  const tensor = operator.inputs[position];
  if (tensor === undefined) throw unexpected(`${operator.kind} ${operator.index} has no input ${position}`);
  return tensor;
}

export function outputOf(operator: Operator): Tensor {
  const tensor = operator.outputs[0];
  if (tensor === undefined) throw unexpected(`${operator.kind} ${operator.index} has no output`);
  return tensor;
}

/** The operator that computes a tensor, which must be of this kind. */
export function producerOfKind(graph: Graph, tensor: Tensor, kind: string): Operator {
  const operator = graph.producer(tensor);
  if (operator?.kind !== kind) throw unexpected(`"${tensor.name}" comes from ${operator?.kind ?? 'nowhere'} instead of ${kind}`);
  return operator;
}

/** A constant's numbers. float16 is widened, which is exact. */
export function floatsOf(tensor: Tensor): Float32Array {
  const { data } = tensor;
  if (data === null) throw unexpected(`"${tensor.name}" is not a constant`);
  const expected = tensor.shape.reduce((product, size) => product * size, 1);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (tensor.type === 'float32' && data.byteLength === 4 * expected) {
    // A typed array must start at a multiple of its element size; a file read into a pooled buffer may not.
    const bytes = data.byteOffset % 4 === 0 ? data : data.slice();
    return new Float32Array(bytes.buffer, bytes.byteOffset, expected);
  }
  if (tensor.type === 'float16' && data.byteLength === 2 * expected) {
    return Float32Array.from({ length: expected }, (_, index) => view.getFloat16(2 * index, true));
  }
  throw unexpected(`"${tensor.name}" holds ${data.byteLength} bytes of type ${tensor.type} for ${expected} numbers`);
}

export function integersOf(tensor: Tensor): Int32Array {
  const { data } = tensor;
  if (data === null || tensor.type !== 'int32') throw unexpected(`"${tensor.name}" is not an integer constant`);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return Int32Array.from({ length: data.byteLength / 4 }, (_, index) => view.getInt32(4 * index, true));
}

/** The number of a constant that has only one. */
export function scalarOf(tensor: Tensor): number {
  const numbers = tensor.type === 'int32' ? integersOf(tensor) : floatsOf(tensor);
  const [number] = numbers;
  if (number === undefined || numbers.length !== 1) throw unexpected(`"${tensor.name}" is not a single number`);
  return number;
}

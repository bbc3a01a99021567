import { type FlatTable, rootTable } from './flatbuffer.ts';
import { createGraph, type Graph, type Operator, type Tensor, type TensorType, unexpected } from './graph.ts';

/**
 * Reads a TFLite file as a graph (tensorflow/lite/schema/schema.fbs, version 3; field numbers are the order of the schema). Trusts
 * the file, because the caller has checked its hash. Weights are views into it.
 */
export function readTflite(file: Uint8Array): Graph {
  const model = rootTable(file);
  const kinds = model.tables(1).map(kindOf);
  const buffers = model.tables(4);
  const [subgraph] = model.tables(2);
  if (subgraph === undefined) throw unexpected('the file holds no graph');

  const tensors = subgraph.tables(0).map((table, index): Tensor => {
    const data = buffers[table.int32(2)]?.bytes(0);
    return {
      index,
      name: table.text(3),
      shape: table.int32s(0),
      type: typesByCode[table.int8(1)] ?? 'other',
      data: data === undefined || data.byteLength === 0 ? null : data,
    };
  });
  /** −1 stands for an omitted input. */
  const pick = (indices: readonly number[]): Tensor[] =>
    indices.map((index) => tensors[index]).filter((tensor) => tensor !== undefined);

  const operators = subgraph.tables(3).map(
    (table, index): Operator => ({
      index,
      kind: kinds[table.int32(0)] ?? '',
      inputs: pick(table.int32s(1)),
      outputs: pick(table.int32s(2)),
      options: table.table(4),
    }),
  );
  return createGraph(pick(subgraph.int32s(1)), pick(subgraph.int32s(2)), operators);
}

const typesByCode: Readonly<Record<number, TensorType>> = { 0: 'float32', 1: 'float16', 2: 'int32' };

function kindOf(code: FlatTable): string {
  // Codes above 127 live in a newer, wider field; the old one then holds 127.
  const builtin = Math.max(code.int8(0), code.int32(3));
  return operatorNames[builtin] ?? `builtin operator ${builtin}`;
}

/** Names of the built-in operators that the converter knows, by their code (`BuiltinOperator`). */
export const operatorNames: Readonly<Record<number, string>> = {
  0: 'ADD',
  1: 'AVERAGE_POOL_2D',
  2: 'CONCATENATION',
  3: 'CONV_2D',
  4: 'DEPTHWISE_CONV_2D',
  6: 'DEQUANTIZE',
  9: 'FULLY_CONNECTED',
  14: 'LOGISTIC',
  17: 'MAX_POOL_2D',
  18: 'MUL',
  22: 'RESHAPE',
  34: 'PAD',
  36: 'GATHER',
  39: 'TRANSPOSE',
  40: 'MEAN',
  41: 'SUB',
  42: 'DIV',
  43: 'SQUEEZE',
  45: 'STRIDED_SLICE',
  53: 'CAST',
  58: 'LESS',
  61: 'GREATER',
  66: 'SIN',
  70: 'EXPAND_DIMS',
  78: 'POW',
  82: 'REDUCE_MAX',
  89: 'REDUCE_MIN',
  96: 'RANGE',
  105: 'REVERSE_V2',
  123: 'SELECT_V2',
  131: 'RFFT2D',
};

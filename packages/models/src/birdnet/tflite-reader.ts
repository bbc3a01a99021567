import { ModelError } from '../errors.ts';
import { type FlatTable, rootTable } from './flatbuffer.ts';
import { createGraph, type Graph, type Operator, type Tensor, type TensorType } from './graph.ts';
import { operatorName } from './operator-names.ts';

/**
 * A TFLite file as a graph (tensorflow/lite/schema/schema.fbs, version 3; field numbers are the order of the schema).
 *
 * Weights stay views into `file`. Throws `ModelError` `GRAPH_UNEXPECTED` when the bytes are no such file.
 */
export function readTflite(file: Uint8Array): Graph {
  try {
    return readGraph(file);
  } catch (error) {
    if (error instanceof ModelError) throw error;
    throw notTflite(error instanceof Error ? error.message : String(error), error);
  }
}

const FILE_IDENTIFIER = 'TFL3';

function readGraph(file: Uint8Array): Graph {
  const identifier = new TextDecoder('latin1').decode(file.subarray(4, 8));
  if (identifier !== FILE_IDENTIFIER) throw notTflite(`it is marked "${identifier}" instead of "${FILE_IDENTIFIER}"`);
  const model = rootTable(file);
  const kinds = model.tables(1).map(kindOf);
  const buffers = model.tables(4);
  const [subgraph, ...others] = model.tables(2);
  if (subgraph === undefined || others.length > 0) throw notTflite('it does not hold exactly one graph');

  const tensors = subgraph.tables(0).map((table, index): Tensor => {
    const data = buffers[table.uint32(2)]?.bytes(0);
    return {
      index,
      name: table.text(3),
      shape: table.int32s(0),
      type: typeOf(table.int8(1)),
      data: data === undefined || data.byteLength === 0 ? null : data,
    };
  });
  /** −1 stands for an input that is left out. */
  const pick = (indices: readonly number[]): Tensor[] =>
    indices.filter((index) => index >= 0).map((index) => tensors[index] ?? fail(`tensor ${index} is missing`));

  const operators = subgraph.tables(3).map(
    (table, index): Operator => ({
      index,
      kind: kinds[table.uint32(0)] ?? fail(`operator ${index} has no code`),
      inputs: pick(table.int32s(1)),
      outputs: pick(table.int32s(2)),
      options: table.table(4),
    }),
  );
  return createGraph(pick(subgraph.int32s(1)), pick(subgraph.int32s(2)), operators);
}

const CUSTOM_OPERATOR = 32;

function kindOf(code: FlatTable): string {
  // Codes above 127 live in a newer, wider field; the old one then holds 127.
  const builtin = Math.max(code.int8(0), code.int32(3));
  return builtin === CUSTOM_OPERATOR ? `custom operator ${code.text(1)}` : operatorName(builtin);
}

const typesByCode: Readonly<Record<number, TensorType>> = { 0: 'float32', 1: 'float16', 2: 'int32' };

const typeOf = (code: number): TensorType => typesByCode[code] ?? 'other';

function fail(why: string): never {
  throw notTflite(why);
}

const notTflite = (why: string, cause?: unknown): ModelError =>
  new ModelError(
    'GRAPH_UNEXPECTED',
    `Conversion stopped: the file is not a readable TFLite model (${why}). Use one of the listed sources.`,
    { cause },
  );

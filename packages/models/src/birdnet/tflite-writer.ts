import { Builder } from 'flatbuffers';

/**
 * Writes TFLite files (tensorflow/lite/schema/schema.fbs, version 3) with Google's FlatBuffers library: `convert-body.ts` the audio model for
 * browsers, tests their tiny models, so that the reader is not tested against our own writer. Tensors are identified by number, as in the file.
 */
export interface TfliteWriter {
  constant(shape: readonly number[], data: Constant, name?: string): number;
  /** A tensor that is computed or is an input. */
  computed(shape: readonly number[], name?: string): number;
  /** Adds an operator with one output of this shape and returns that tensor. */
  operator(code: number, inputs: readonly number[], shape: readonly number[], options?: readonly OptionField[]): number;
  finish(inputs: readonly number[], outputs: readonly number[]): Uint8Array;
}

type Constant = Float32Array | Float16Array | Int32Array;

/** Options by field number, in order; 8-bit fields are enumerations and flags. */
export type OptionField = { readonly int8: number } | { readonly int32: number };

interface TensorRow {
  readonly shape: readonly number[];
  readonly type: number;
  readonly data: Uint8Array | null;
  readonly name: string;
}

interface OperatorRow {
  readonly code: number;
  readonly inputs: readonly number[];
  readonly output: number;
  readonly options: readonly OptionField[];
}

const typeCodes = new Map<unknown, number>([
  [Float32Array, 0],
  [Float16Array, 1],
  [Int32Array, 2],
]);

/** Which table of options (`BuiltinOptions`) an operator has, by its code. The interpreter ignores the options of another table. */
const optionTypes: Readonly<Record<number, number>> = { 0: 11, 1: 5, 2: 10, 3: 1, 4: 2, 9: 8, 17: 5, 18: 21, 34: 22, 40: 27 };

/** Alignment of weights that the schema demands. */
const BUFFER_UNIT_BYTES = 16;

export function createTfliteWriter(): TfliteWriter {
  const tensors: TensorRow[] = [];
  const operators: OperatorRow[] = [];
  const computed = (shape: readonly number[], name = `computed_${tensors.length}`): number =>
    tensors.push({ shape, type: 0, data: null, name }) - 1;
  return {
    constant: (shape, data, name = `constant_${tensors.length}`) => {
      const type = typeCodes.get(data.constructor) ?? 0;
      const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      return tensors.push({ shape, type, data: bytes, name }) - 1;
    },
    computed,
    operator: (code, inputs, shape, options = []) => {
      const output = computed(shape);
      operators.push({ code, inputs, output, options });
      return output;
    },
    finish: (inputs, outputs) => writeFile(tensors, operators, inputs, outputs),
  };
}

function writeFile(
  tensors: readonly TensorRow[],
  operators: readonly OperatorRow[],
  inputs: readonly number[],
  outputs: readonly number[],
): Uint8Array {
  const builder = new Builder(1024);

  const table = (fields: number, fill: () => void): number => {
    builder.startObject(fields);
    fill();
    return builder.endObject();
  };
  const integers = (values: readonly number[]): number => {
    builder.startVector(4, values.length, 4);
    for (const value of [...values].reverse()) builder.addInt32(value);
    return builder.endVector();
  };
  const offsets = (values: readonly number[]): number => {
    builder.startVector(4, values.length, 4);
    for (const value of [...values].reverse()) builder.addOffset(value);
    return builder.endVector();
  };

  // Buffer 0 is empty by convention; tensor n has buffer n + 1.
  const buffers = [null, ...tensors.map(({ data }) => data)].map((data) => {
    if (data !== null) builder.prep(BUFFER_UNIT_BYTES, data.byteLength);
    const bytes = data === null ? 0 : builder.createByteVector(data);
    return table(3, () => builder.addFieldOffset(0, bytes, 0));
  });
  const codes = operators.map(({ code }) =>
    table(4, () => {
      // As in real files: codes above 127 are in the wide field, and the narrow one then holds 127.
      builder.addFieldInt8(0, Math.min(code, 127), 0);
      builder.addFieldInt32(3, code, 0);
    }),
  );
  const tensorTables = tensors.map(({ shape, type, name }, index) => {
    const shapeAt = integers(shape);
    const nameAt = builder.createString(name);
    return table(8, () => {
      builder.addFieldOffset(0, shapeAt, 0);
      builder.addFieldInt8(1, type, 0);
      builder.addFieldInt32(2, index + 1, 0);
      builder.addFieldOffset(3, nameAt, 0);
    });
  });
  const operatorTables = operators.map((operator, index) => {
    const inputsAt = integers(operator.inputs);
    const outputsAt = integers([operator.output]);
    const optionsAt = table(operator.options.length, () => {
      for (const [field, value] of operator.options.entries()) {
        if ('int8' in value) builder.addFieldInt8(field, value.int8, 0);
        else builder.addFieldInt32(field, value.int32, 0);
      }
    });
    return table(5, () => {
      builder.addFieldInt32(0, index, -1);
      builder.addFieldOffset(1, inputsAt, 0);
      builder.addFieldOffset(2, outputsAt, 0);
      builder.addFieldInt8(3, optionTypes[operator.code] ?? 0, 0);
      builder.addFieldOffset(4, optionsAt, 0);
    });
  });

  const [tensorsAt, inputsAt, outputsAt, operatorsAt] = [
    offsets(tensorTables),
    integers(inputs),
    integers(outputs),
    offsets(operatorTables),
  ];
  const subgraph = table(5, () => {
    for (const [field, at] of [tensorsAt, inputsAt, outputsAt, operatorsAt].entries()) builder.addFieldOffset(field, at, 0);
  });
  const [codesAt, subgraphsAt, buffersAt] = [offsets(codes), offsets([subgraph]), offsets(buffers)];
  const model = table(5, () => {
    builder.addFieldInt32(0, 3, 0);
    builder.addFieldOffset(1, codesAt, 0);
    builder.addFieldOffset(2, subgraphsAt, 0);
    builder.addFieldOffset(4, buffersAt, 0);
  });
  builder.finish(model, 'TFL3');
  return builder.asUint8Array().slice();
}

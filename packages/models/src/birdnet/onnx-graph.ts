import type { OnnxAttribute, OnnxNode, OnnxTensor } from './onnx-writer.ts';

/** Collects the nodes and constants of an ONNX graph and hands out names. */
export interface OnnxGraph {
  readonly nodes: readonly OnnxNode[];
  readonly tensors: readonly OnnxTensor[];
  /** Adds a node of one output and returns that output's name (a new one, or `output`). */
  node(kind: string, inputs: readonly string[], attributes?: Readonly<Record<string, OnnxAttribute>>, output?: string): string;
  /** Adds a float constant and returns its name. Asked twice under one name it is stored once: layers share biases. */
  floats(name: string, dims: readonly number[], numbers: () => Float32Array): string;
  /** Adds an integer constant and returns its name. */
  integers(numbers: readonly number[]): string;
}

export function createOnnxGraph(): OnnxGraph {
  const nodes: OnnxNode[] = [];
  const tensors = new Map<string, OnnxTensor>();
  return {
    nodes,
    get tensors() {
      return [...tensors.values()];
    },
    node: (kind, inputs, attributes = {}, output = `${kind.toLowerCase()}_${nodes.length}`) => {
      nodes.push({ kind, inputs, outputs: [output], attributes });
      return output;
    },
    floats: (name, dims, numbers) => {
      if (!tensors.has(name)) tensors.set(name, { name, dims, data: numbers() });
      return name;
    },
    integers: (numbers) => {
      const name = `integers_${numbers.join('_')}`;
      tensors.set(name, { name, dims: [numbers.length], data: BigInt64Array.from(numbers.map(BigInt)) });
      return name;
    },
  };
}

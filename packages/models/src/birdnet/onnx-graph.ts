import type { OnnxAttribute, OnnxNode, OnnxTensor } from './onnx-writer.ts';

export type OnnxGraph = ReturnType<typeof createOnnxGraph>;

/** Collects the nodes and constants of an ONNX graph and hands out names. */
export function createOnnxGraph() {
  const nodes: OnnxNode[] = [];
  const tensors = new Map<string, OnnxTensor>();
  return {
    nodes: nodes as readonly OnnxNode[],
    get tensors(): readonly OnnxTensor[] {
      return [...tensors.values()];
    },
    /** Adds a node with one output and returns that output's name (a new one, or `output`). */
    node: (
      kind: string,
      inputs: readonly string[],
      attributes: Readonly<Record<string, OnnxAttribute>> = {},
      output = `${kind.toLowerCase()}_${nodes.length}`,
    ): string => {
      nodes.push({ kind, inputs, outputs: [output], attributes });
      return output;
    },
    /** Adds a float constant and returns its name. A name is stored only once, because layers share biases. */
    floats: (name: string, dims: readonly number[], numbers: () => Float32Array): string => {
      if (!tensors.has(name)) tensors.set(name, { name, dims, data: numbers() });
      return name;
    },
    /** Adds an integer constant and returns its name. */
    integers: (numbers: readonly number[]): string => {
      const name = `integers_${numbers.join('_')}`;
      tensors.set(name, { name, dims: [numbers.length], data: BigInt64Array.from(numbers.map(BigInt)) });
      return name;
    },
  };
}

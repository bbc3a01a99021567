/**
 * A TFLite model on LiteRT's WebAssembly (https://ai.google.dev/edge/litert/web), in one thread. Called by `worker.ts`.
 *
 * Calls what LiteRT's script exports instead of LiteRT.js on top of it, which must run in a classic worker, looks for a GPU that is not used
 * here, and copies every tensor twice.
 */

/** What is used of the script's exports (`LiteRtWasm` in LiteRT.js). Objects with `delete` live in its memory. */
export interface LiteRtModule {
  readonly HEAPU8: Uint8Array<ArrayBuffer>;
  _malloc(bytes: number): number;
  readonly LiteRtEnvironment: { create(gpu: null): Environment };
  loadModel(environment: Environment, address: number, bytes: number): LoadedModel;
  compileModel(environment: Environment, model: LoadedModel, options: object): CompiledModel | Promise<CompiledModel>;
  readonly LiteRtTensorBufferType: { readonly HOST_MEMORY: object };
  readonly LiteRtTensorBufferLockMode: { readonly READ: object; readonly WRITE: object };
  readonly LiteRtTensorBuffer: {
    createManaged(environment: Environment, kind: object, type: TensorType, bytes: number): TensorBuffer;
  };
}

type Environment = object;

interface TensorType {
  bytes(): number;
  delete(): void;
}

interface LoadedModel {
  getInputTensorType(signature: number, input: number): TensorType;
}

interface CompiledModel {
  run(signature: number, inputs: readonly TensorBuffer[]): readonly TensorBuffer[] | Promise<readonly TensorBuffer[]>;
}

interface TensorBuffer {
  /** @returns the address of the numbers, until `unlock` */
  lock(mode: object): number;
  unlock(): void;
  packedSize(): number;
  delete(): void;
}

/** The default export of LiteRT's scripts. `print` and `printErr` are for its notes about devices that it did not find. */
export type CreateLiteRt = (options: {
  readonly wasmBinary: ArrayBuffer;
  readonly print: (line: string) => void;
  readonly printErr: (line: string) => void;
}) => Promise<LiteRtModule>;

const ignore = (): void => undefined;

export interface TfliteModel {
  /** numbers of the input */
  readonly inputLength: number;
  /** @param fill writes the input, into the runtime's memory @returns a copy of the output */
  run(fill: (input: Float32Array) => void): Promise<Float32Array<ArrayBuffer>>;
}

/**
 * @param bytes of the model
 * @param write writes the model into the runtime's memory, at an address divisible by 16, where it stays
 * @throws whatever the runtime throws, also for a model that it cannot read
 */
export async function openTflite(
  createModule: CreateLiteRt,
  wasmBinary: ArrayBuffer,
  bytes: number,
  write: (model: Uint8Array) => void,
): Promise<TfliteModel> {
  const litert = await createModule({ wasmBinary, print: ignore, printErr: ignore });
  const environment = litert.LiteRtEnvironment.create(null);
  const address = litert._malloc(bytes);
  write(litert.HEAPU8.subarray(address, address + bytes));
  const model = litert.loadModel(environment, address, bytes);
  const options = { environment, accelerator: 'wasm', cpuOptions: { numThreads: 1 }, gpuOptions: {}, webNNOptions: {} };
  const compiled = await litert.compileModel(environment, model, options);
  const { LiteRtTensorBufferType, LiteRtTensorBufferLockMode, LiteRtTensorBuffer } = litert;
  const type = model.getInputTensorType(0, 0);
  const inputBytes = type.bytes();
  const input = LiteRtTensorBuffer.createManaged(environment, LiteRtTensorBufferType.HOST_MEMORY, type, inputBytes);
  type.delete();

  /** The numbers of a locked tensor. Made for each use, because memory that grows leaves the views of it empty. */
  const numbersAt = (at: number, length: number): Float32Array<ArrayBuffer> =>
    new Float32Array(litert.HEAPU8.buffer, at, length / 4);
  return {
    inputLength: inputBytes / 4,
    async run(fill) {
      fill(numbersAt(input.lock(LiteRtTensorBufferLockMode.WRITE), inputBytes));
      input.unlock();
      const [output] = await compiled.run(0, [input]);
      if (output === undefined) throw new Error('the model has no output');
      const numbers = numbersAt(output.lock(LiteRtTensorBufferLockMode.READ), output.packedSize()).slice();
      output.unlock();
      output.delete();
      return numbers;
    },
  };
}

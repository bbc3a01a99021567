import { expect, it } from 'vitest';
import { modelOf } from './prediction-of.ts';

it('The hash of the model in a prediction differs if the weights of the model differ', () => {
  const model = { id: 'made-up', version: '1', licence: 'MIT', attribution: 'Powered by nothing' };
  const [first, further] = ['a', 'b'].map((hash) =>
    modelOf({ ...model, audio: { weights: { file: 'audio.onnx.data', sha256: hash.repeat(64) } } }),
  );
  expect(further?.sha256).not.toBe(first?.sha256);
});

import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { deflateRawSync, inflateRaw } from 'node:zlib';
import { rangeGrid } from '@chiffchaff/contract';
import { z } from 'zod';
import { readIntact, writeAtomically } from '../atomic-file.ts';

/** The file: a line of JSON, then the end offset of each label's cells as 32-bit numbers, then the cells, deflated label by label. */
const headSchema = z.object({ inputs: z.string(), labelCount: z.int().nonnegative() });
const BYTES_A_NUMBER = 4;

/** Speed before size: six thousand rows are deflated while a person waits. */
const LEVEL = 1;

const inflated = promisify(inflateRaw);

/** A file with the ranges of all labels, read one label at a time. */
export type RangeFile = NonNullable<Awaited<ReturnType<typeof openRangeFile>>>;

/**
 * @param inputs identifies what the ranges are made from
 * @returns null if there is no intact file made from these inputs
 */
export async function openRangeFile(path: string, inputs: string) {
  const file = await open(path).catch(() => null);
  if (file === null) return null;
  const opened = await readHead(path, inputs).catch(() => null);
  // Damaged, or made from other inputs: the caller makes it again.
  if (opened === null) {
    await file.close();
    return null;
  }
  const { ends, start } = opened;
  return {
    /** All cells of the grid, one byte each. */
    async read(label: number): Promise<Uint8Array> {
      const from = label === 0 ? 0 : (ends[label - 1] ?? 0);
      const length = (ends[label] ?? from) - from;
      const cells = await inflated(await readExactly(file, length, start + from));
      if (cells.length !== rangeGrid.columns * rangeGrid.rows) throw new Error(`${path} is damaged`);
      return cells;
    },
    close: () => file.close(),
  };
}

async function readHead(path: string, inputs: string) {
  const bytes = await readIntact(path);
  if (bytes === null) return null;
  const lineEnd = bytes.indexOf(10);
  const { labelCount, inputs: found } = headSchema.parse(JSON.parse(bytes.toString('utf8', 0, lineEnd)));
  if (found !== inputs) return null;
  const numbers = bytes.subarray(lineEnd + 1);
  const ends = Uint32Array.from({ length: labelCount }, (_, label) => numbers.readUInt32LE(label * BYTES_A_NUMBER));
  return { ends, start: lineEnd + 1 + labelCount * BYTES_A_NUMBER };
}

async function readExactly(file: FileHandle, length: number, position: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead !== length) throw new Error('The file is shorter than it says.');
  return buffer;
}

/** @param rows the cells of each label, in label order */
export async function writeRangeFile(path: string, inputs: string, rows: AsyncIterable<Uint8Array>): Promise<void> {
  const packed: Buffer[] = [];
  for await (const row of rows) packed.push(deflateRawSync(row, { level: LEVEL }));
  const ends = Buffer.alloc(packed.length * BYTES_A_NUMBER);
  let end = 0;
  for (const [label, { length }] of packed.entries()) {
    end += length;
    ends.writeUInt32LE(end, label * BYTES_A_NUMBER);
  }
  const head = Buffer.from(`${JSON.stringify({ inputs, labelCount: packed.length })}\n`);
  await writeAtomically(path, [head, ends, ...packed]);
}

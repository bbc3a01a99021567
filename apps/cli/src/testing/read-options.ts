interface Parser {
  parse(args: readonly string[], source: { readonly from: 'user' }): unknown;
}

/** For tests: what a command makes of its arguments. @throws UsageError */
export function readOptions<Options>(
  command: (run: (options: Options) => Promise<void>) => Parser,
  args: readonly string[],
): Options {
  const read: Options[] = [];
  command(async (options) => void read.push(options)).parse(args, { from: 'user' });
  const [options] = read;
  if (options === undefined) throw new Error('The command was not run');
  return options;
}

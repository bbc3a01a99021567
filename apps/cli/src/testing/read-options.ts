interface Parser {
  parse(args: readonly string[], source: { readonly from: 'user' }): unknown;
}

/** For tests: the options that a command parses from its arguments. @throws UsageError */
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

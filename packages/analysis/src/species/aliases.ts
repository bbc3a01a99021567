/**
 * Parses a table of names that other lists use for a species → the name the model uses. Its columns are name, model name and relation, with
 * `#` lines for comments; the relation `nonbird` marks classes that are no bird species.
 */
export function readAliases(text: string): ReadonlyMap<string, string> {
  const rows = text
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#'))
    .slice(1)
    .map((line) => line.split('\t'));
  return new Map(
    rows.flatMap(([name, modelName, relation]) =>
      name === undefined || modelName === undefined || relation === 'nonbird' ? [] : [[name, modelName] as const],
    ),
  );
}

/**
 * Names that other lists use for a species → the name the model uses. The table has the columns name, name of the model and
 * relation, with `#` lines for remarks; relation `nonbird` marks classes that are no bird species.
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

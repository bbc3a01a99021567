// Answers are checked without code made at run time: the Content-Security-Policy refuses that, and merely trying leaves a report.
// Schemas ask when they are made, so this runs before any of them. It is written where zod looks for it rather than by its
// `config()`: that would bring zod into the first page's first load. The test beside it notices should zod look elsewhere.
const zodLooksHere: typeof globalThis & { __zod_globalConfig?: { jitless?: boolean } } = globalThis;
zodLooksHere.__zod_globalConfig = Object.assign(zodLooksHere.__zod_globalConfig ?? {}, { jitless: true });

export {};

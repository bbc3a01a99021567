// Turns off the code that zod generates at run time: the Content-Security-Policy forbids it, and even the attempt is reported as a
// violation. Schemas read this setting when they are created, so this module comes first. It sets the global that zod reads instead of
// calling zod's `config()`, which would pull zod into the first load. The test next to it fails if zod moves the setting.
const zodLooksHere: typeof globalThis & { __zod_globalConfig?: { jitless?: boolean } } = globalThis;
zodLooksHere.__zod_globalConfig = Object.assign(zodLooksHere.__zod_globalConfig ?? {}, { jitless: true });

export {};

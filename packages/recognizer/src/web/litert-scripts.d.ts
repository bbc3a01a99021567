/** LiteRT's scripts, one for each build of its WebAssembly. */
declare module '@litertjs/core/wasm/*' {
  const createModule: import('./litert.ts').CreateLiteRt;

  // biome-ignore lint/style/noDefaultExport: what the bundler makes of a script for several kinds of modules
  export default createModule;
}

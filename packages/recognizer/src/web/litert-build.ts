/** A module that only validates where the instructions of relaxed SIMD are known: `() => i8x16.relaxed_swizzle(v128.const 0, v128.const 0)`. */
const relaxedSimd = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  // type section: () → v128; function section: one function of it
  ...[0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b, 0x03, 0x02, 0x01, 0x00],
  // code section, with two zero vectors of 16 bytes
  ...[0x0a, 0x2b, 0x01, 0x29, 0x00],
  ...[0xfd, 0x0c, ...new Uint8Array(16), 0xfd, 0x0c, ...new Uint8Array(16), 0xfd, 0x80, 0x02, 0x0b],
);

/** Whether LiteRT's fastest build runs here. Safari needs the other one, which takes a quarter longer. */
export const hasRelaxedSimd: boolean = WebAssembly.validate(relaxedSimd);

/** URL of LiteRT's WebAssembly for this browser, for pages that cache it for offline use. */
export const runtimeUrl: string = hasRelaxedSimd
  ? new URL('@litertjs/core/wasm/litert_wasm_internal.wasm', import.meta.url).href
  : new URL('@litertjs/core/wasm/litert_wasm_compat_internal.wasm', import.meta.url).href;

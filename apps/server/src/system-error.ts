/** Whether the system said one of these, such as `ENOENT`. */
export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

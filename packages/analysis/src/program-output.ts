/**
 * Lets a program go on when its output can no longer be written: a reader took only the first lines (`… | head -1`), or the disk is full.
 * Without a listener, that would end it with a stack trace. Writers that want to know get the error in their callback.
 */
export function ignoreOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

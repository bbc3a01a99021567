/** Parts of the server that close together, the last opened first. */
export class PartStack extends AsyncDisposableStack {
  /** Closes a part with the others. @returns the part */
  add<Part extends { close(): unknown }>(part: Part): Part {
    return this.adopt(part, async () => void (await part.close()));
  }
}

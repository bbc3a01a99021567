interface Files {
  [name: string]: Blob | Files;
}

/** A folder of the origin's private file system, for reading only: a worker does the writing. */
export function fakeFolder(files: Files) {
  const handleOf = (folder: Files): FileSystemDirectoryHandle => {
    const find = (name: string) => {
      const found = folder[name];
      if (found === undefined) throw new DOMException(name, 'NotFoundError');
      return found;
    };
    const handle = {
      keys: async function* keys() {
        yield* Object.keys(folder);
      },
      async getDirectoryHandle(name: string, { create = false } = {}) {
        if (create) folder[name] ??= {};
        const found = find(name);
        if (found instanceof Blob) throw new DOMException(name, 'TypeMismatchError');
        return handleOf(found);
      },
      async getFileHandle(name: string) {
        const found = find(name);
        if (!(found instanceof Blob)) throw new DOMException(name, 'TypeMismatchError');
        return { getFile: async () => new File([found], name) };
      },
      async removeEntry(name: string) {
        find(name);
        delete folder[name];
      },
    };
    return handle as unknown as FileSystemDirectoryHandle;
  };
  return {
    handle: handleOf(files),
    /** Names of a folder's entries. */
    names: (folder: string): readonly string[] => Object.keys(files[folder] ?? {}),
  };
}

/** Lets the browser save what an address gives. @param fileName empty where the server names it */
export function saveFrom(address: string, fileName = ''): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
}

/** Releases an object URL that a browser may still be reading: hours of sound take their time to be saved. */
export function revokeLater(url: string): void {
  setTimeout(() => URL.revokeObjectURL(url), 600_000);
}

/** Lets the browser save a file that the page holds. */
export function saveBlob(fileName: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  saveFrom(url, fileName);
  revokeLater(url);
}

export const saveFile = (fileName: string, text: string): void =>
  saveBlob(fileName, new Blob([text], { type: 'application/octet-stream' }));

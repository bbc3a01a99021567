/** Lets the browser save the file at an address. @param fileName empty if the server names it */
export function saveFrom(address: string, fileName = ''): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
}

/** Revokes an object URL ten minutes later: the browser may still be reading it, since hours of audio take long to save. */
export function revokeLater(url: string): void {
  setTimeout(() => URL.revokeObjectURL(url), 600_000);
}

/** Lets the browser save a file that the page has in memory. */
export function saveBlob(fileName: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  saveFrom(url, fileName);
  revokeLater(url);
}

export const saveFile = (fileName: string, text: string): void =>
  saveBlob(fileName, new Blob([text], { type: 'application/octet-stream' }));

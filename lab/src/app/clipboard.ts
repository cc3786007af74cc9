// Out of the page: to the clipboard, or as a file.

/** Whether it could be copied; a page from disk or in a frame may not always. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** The old way, for pages that are not given the clipboard: select a text and copy the selection. */
function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  // Inside of the open dialog, whose outside cannot be selected.
  const parent = document.querySelector("dialog[open]") ?? document.body;
  parent.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

export function download(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// What of the page's frame is open.

class Shell {
  dialog = $state<"data" | "save" | "lessons" | "keys" | null>(null);
  /** Something went wrong; said above the view until it is closed. */
  message = $state("");
  /** A file that was dropped, for the dialog. */
  file = $state.raw<File | null>(null);
  /** What the page itself has last written into the address. */
  written = "";

  offer(file: File): void {
    this.file = file;
    this.dialog = "data";
  }
}

export const shell = new Shell();

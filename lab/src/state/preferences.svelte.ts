// How the page looks to this reader: dark or light, large for a projector, still or moving, with or without its frame.
import { dark, light, type Palette } from "../draw/palette";

export type Theme = "system" | "light" | "dark";

class Preferences {
  theme = $state<Theme>("system");
  /** Everything larger, for the back row. */
  projector = $state(false);
  /** Inside another page: the view alone. */
  embed = $state(false);
  #systemDark = $state(false);
  reducedMotion = $state(false);

  constructor() {
    if (typeof matchMedia === "undefined") return;
    this.#follow("(prefers-color-scheme: dark)", (on) => (this.#systemDark = on));
    this.#follow("(prefers-reduced-motion: reduce)", (on) => (this.reducedMotion = on));
  }

  #follow(query: string, set: (on: boolean) => void): void {
    const list = matchMedia(query);
    set(list.matches);
    list.addEventListener("change", () => set(list.matches));
  }

  get dark(): boolean {
    return this.theme === "dark" || (this.theme === "system" && this.#systemDark);
  }

  get palette(): Palette {
    return this.dark ? dark : light;
  }

  /** What sizes on a canvas are multiplied by. */
  get size(): number {
    return this.projector ? 1.45 : 1;
  }
}

export const preferences = new Preferences();

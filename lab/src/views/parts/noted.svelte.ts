// A view's own number in the address, so that a link or a lesson can set it.
import { lab } from "../../state/lab.svelte";

export interface Noted {
  value: number;
}

/** `lab.note[name]` as a number between low and high; nothing is written while it is as it begins. */
export function noted(name: string, begins: number, low: number, high: number): Noted {
  return {
    get value() {
      const text = lab.note[name];
      const number = text === undefined || text === "" ? NaN : Number(text);
      return Number.isFinite(number) ? Math.min(high, Math.max(low, number)) : begins;
    },
    set value(value) {
      const others = Object.entries(lab.note).filter(([key]) => key !== name);
      lab.note = Object.fromEntries(value === begins ? others : [...others, [name, String(value)]]);
    },
  };
}

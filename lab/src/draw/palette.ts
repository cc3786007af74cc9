// Okabe and Ito's colours, which people with any kind of colour vision can tell apart; shapes say the same again.

export interface Palette {
  readonly dark: boolean;
  readonly paper: string;
  readonly ink: string;
  readonly grey: string;
  readonly faint: string;
  /** Of the classes: -1 and +1 are the first two. */
  readonly classes: readonly string[];
  /** Of the states of the dual variables. */
  readonly zero: string;
  readonly free: string;
  readonly bound: string;
  readonly violating: string;
  /** Of what is pointed at. */
  readonly accent: string;
}

export const light: Palette = {
  dark: false,
  paper: "#ffffff",
  ink: "#1d2125",
  grey: "#62676d",
  faint: "#e3e1dc",
  classes: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#882255", "#999933"],
  zero: "#a9adb2",
  free: "#009e73",
  bound: "#b5578c",
  violating: "#c4a000",
  accent: "#111111",
};

export const dark: Palette = {
  dark: true,
  paper: "#181b20",
  ink: "#ebe8e2",
  grey: "#a3a7ad",
  faint: "#33383f",
  classes: ["#56b4e9", "#f08a3c", "#2cc295", "#e29bc4", "#f0c050", "#8fd0ff", "#d06c9a", "#c6c65a"],
  zero: "#6c7278",
  free: "#2cc295",
  bound: "#e29bc4",
  violating: "#f0d050",
  accent: "#ffffff",
};

/** [r, g, b] of "#rrggbb". */
export function channels(color: string): [number, number, number] {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** Class of a label: -1 and +1 are 0 and 1, numbers from 0 are themselves. */
export const classIndex = (y: number): number => (y < 0 ? 0 : Math.round(y));

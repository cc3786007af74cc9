// What changes at a break point of the path, in words.
import { BOUND, FREE, ZERO } from "../../engine/types";
import type { Piece } from "../../mathematics/path";

export interface Change {
  readonly row: number;
  readonly from: number;
  readonly to: number;
}

/** The rows that are in other sets after a break point than before it. */
export function changes(before: Piece, after: Piece): Change[] {
  return [...before.sets.keys()]
    .filter((row) => before.sets[row] !== after.sets[row])
    .map((row) => ({ row, from: before.sets[row], to: after.sets[row] }));
}

/** Said of a rising C, in which the margin shrinks. */
export function inWords({ row, from, to }: Change): string {
  const point = `point ${row + 1}`;
  if (from === BOUND && to === FREE) return `${point} comes out of the margin and holds it`;
  if (from === FREE && to === ZERO) return `${point} lets the margin go (α = 0)`;
  if (from === ZERO && to === FREE) return `the margin reaches ${point}, which now holds it`;
  if (from === FREE && to === BOUND) return `${point} falls back inside the margin (α = C)`;
  if (from === BOUND) return `${point} goes from inside the margin to outside of it at once`;
  return `${point} goes from outside of the margin to inside at once`;
}

// The path as curves: corners where a row is not at an end of its interval, and what a pointer is nearest to.
import type { Inside } from "../../draw/Chart.svelte";
import { FREE } from "../../engine/types";
import type { Piece } from "../../mathematics/path";
import type { Change } from "./events";

/** [C, alpha] of one row. */
export type Corner = readonly [number, number];

/** The corners of each row's alpha; none of a row that never moves from zero. */
export function bends(pieces: readonly Piece[], n: number): Corner[][] {
  const rows: Corner[][] = Array.from({ length: n }, () => []);
  const end = pieces[pieces.length - 1];
  for (let i = 0; i < n; i++) {
    let previous = -1;
    for (const piece of pieces) {
      const set = piece.sets[i];
      if (set === FREE || set !== previous) rows[i].push([piece.begin, at(piece, i, piece.begin)]);
      previous = set;
    }
    const last = Number.isFinite(end.end) ? end.end : 10 * Math.max(end.begin, 1);
    rows[i].push([last, at(end, i, last)]);
    if (rows[i].every(([, alpha]) => alpha === 0)) rows[i] = [];
  }
  return rows;
}

const at = (piece: Piece, i: number, C: number): number => Math.max(0, piece.constant[i] + C * piece.slope[i]);

/** A share alpha / C is no straight line over log C: so long a part of it looks like one. */
const STRAIGHT = 0.08;

/** As the d of a path; `share`: alpha / C in place of alpha. */
export function curve(corners: readonly Corner[], { x, y }: Inside, [low, high]: readonly [number, number], share: boolean): string {
  const places: string[] = [];
  const put = (C: number, alpha: number): void => {
    places.push(`${x(C).toFixed(1)},${y(share ? alpha / C : alpha).toFixed(1)}`);
  };
  for (let k = 0; k + 1 < corners.length; k++) {
    const [a, b] = [corners[k], corners[k + 1]];
    const from = Math.max(a[0], low);
    const to = Math.min(b[0], high);
    if (!(from < to)) continue;
    const parts = share ? Math.min(12, Math.max(1, Math.ceil(Math.log(to / from) / STRAIGHT))) : 1;
    for (let part = places.length ? 1 : 0; part <= parts; part++) {
      const C = share ? from * (to / from) ** (part / parts) : part ? to : from;
      put(C, a[1] + ((C - a[0]) / (b[0] - a[0])) * (b[1] - a[1]));
    }
  }
  return places.length ? `M${places.join("L")}` : "";
}

/** The row that is not at an end of its interval whose alpha at C is nearest to a level. */
export function nearestRow(pieces: readonly Piece[], C: number, alpha: number): number | null {
  const piece = pieces.find(({ begin, end }) => C >= begin && C < end);
  if (!piece) return null;
  let best: number | null = null;
  let least = 0.04 * C;
  piece.sets.forEach((set, i) => {
    if (set !== FREE) return;
    const away = Math.abs(at(piece, i, C) - alpha);
    if (away < least) [least, best] = [away, i];
  });
  return best;
}

/** Several changes as one half sentence. */
export function eventsOf(changes: readonly Change[], inWords: (change: Change) => string): string {
  if (changes.length === 0) return "two points take turns on the margin";
  const words = changes.slice(0, 3).map(inWords).join("; ");
  return changes.length > 3 ? `${words}; and ${changes.length - 3} more` : words;
}

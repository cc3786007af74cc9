/** Splits of labelled rows in which every class has its share. */

import { Random } from "./random";

/** The fold of each row, 0 to count - 1: each class is shuffled and dealt out in turn. */
export function folds(labels: ArrayLike<number>, count: number, seed = 1): Int32Array {
  const fold = new Int32Array(labels.length);
  const dealt = new Map<number, number>();
  for (const row of new Random(seed).order(labels.length)) {
    const turn = dealt.get(labels[row]) ?? 0;
    fold[row] = turn % count;
    dealt.set(labels[row], turn + 1);
  }
  return fold;
}

/** Which rows are held out for the test: a share of each class, one row of each at least stays. */
export function heldOut(labels: ArrayLike<number>, share: number, seed = 1): Uint8Array {
  const members = new Map<number, number[]>();
  for (const row of new Random(seed).order(labels.length)) {
    const label = labels[row];
    members.set(label, [...(members.get(label) ?? []), row]);
  }
  const held = new Uint8Array(labels.length);
  for (const rows of members.values()) {
    const count = Math.min(Math.round(share * rows.length), rows.length - 1);
    for (const row of rows.slice(0, count)) held[row] = 1;
  }
  return held;
}

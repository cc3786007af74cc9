// Several classes from binary machines: each pair of classes, or each class against all others.
import type { Engine } from "../../engine";
import { cSvc } from "../../engine/formulations";
import type { Expansion, Fit, Kernel, Lattice } from "../../engine/types";
import { highest, pairs, votes, type Verdict } from "../../mathematics/votes";
import type { Dataset } from "../../state/dataset";

export type Scheme = "ovo" | "ovr" | "crammer_singer";

export interface Several {
  readonly scheme: Scheme;
  readonly classes: number;
  /** One machine per output: positive for the first class of the pair, or for the class. */
  readonly machines: readonly Expansion[];
  readonly support: number;
}

/** One machine per pair of classes; rows of other classes have weight zero. */
export function oneVsOne(engine: Engine, { rows, y, weight, classes }: Dataset, kernel: Kernel, C: number): Several {
  const fits = pairs(classes.length).map(([first, second]) =>
    engine.fit(
      cSvc(
        rows,
        y.map((code) => (code === first ? 1 : -1)),
        kernel,
        { C, weight: weight.map((value, i) => (y[i] === first || y[i] === second ? value : 0)) },
      ),
    ),
  );
  return { scheme: "ovo", classes: classes.length, machines: fits, support: together(fits) };
}

/** One machine per class. */
export function oneVsRest(engine: Engine, { rows, y, weight, classes }: Dataset, kernel: Kernel, C: number): Several {
  const fits = classes.map((_, k) =>
    engine.fit(
      cSvc(
        rows,
        y.map((code) => (code === k ? 1 : -1)),
        kernel,
        { C, weight },
      ),
    ),
  );
  return { scheme: "ovr", classes: classes.length, machines: fits, support: together(fits) };
}

/** All classes as one problem; of a linear machine only. */
export function crammerSinger(engine: Engine, { rows, y, weight, classes }: Dataset, C: number): Several {
  const k = classes.length;
  const { w, b } = engine.crammerSinger(rows, Int32Array.from(y), k, C, weight);
  // w'x + b as an expansion: one row that is w itself.
  const machines = classes.map(
    (_, code): Expansion => ({
      data: { x: w.slice(code * rows.d, (code + 1) * rows.d), n: 1, d: rows.d },
      kernel: { name: "linear" },
      coef: Float64Array.of(1),
      intercept: b[code],
    }),
  );
  return { scheme: "crammer_singer", classes: k, machines, support: NaN };
}

/** Rows that any of the machines needs. */
function together(fits: readonly Fit[]): number {
  return fits[0].alpha.filter((_, i) => fits.some((fit) => fit.alpha[i] > 0)).length;
}

export interface Judged extends Verdict {
  /** Votes, or scores. */
  readonly totals: ArrayLike<number>;
  /** Of one against the rest: how many classes claim the point with a positive score. Else 1. */
  readonly claims: number;
}

export function judge({ scheme, classes }: Several, outputs: ArrayLike<number>): Judged {
  const totals = scheme === "ovo" ? votes(outputs, classes) : outputs;
  const claims = scheme === "ovr" ? Array.from(outputs).filter((f) => f > 0).length : 1;
  return { ...highest(totals), totals, claims };
}

/** The outputs of all machines at one point. */
export const outputsAt = (engine: Engine, several: Several, x: number, y: number): number[] =>
  several.machines.map((machine) => engine.decide(machine, { x: Float64Array.of(x, y), n: 1, d: 2 })[0]);

/** Fields over a lattice whose zero lines are the borders of the regions. */
export interface Regions {
  /** Of each class: positive where it wins. */
  readonly lead: readonly Float32Array[];
  /** Positive where classes share the first place (ovo), or none or several claim the point (ovr). */
  readonly open: Float32Array;
  readonly share: number;
}

export function regions(engine: Engine, several: Several, lattice: Lattice): Regions {
  const size = lattice.nx * lattice.ny;
  const outputs = several.machines.map((machine) => engine.grid(machine, lattice));
  const totals = several.scheme === "ovo" ? softVotes(outputs, several.classes, lattice) : outputs;
  const lead = totals.map(() => new Float32Array(size));
  const list = pairs(several.classes);
  const count = new Uint8Array(several.classes);
  /** Positive only where whole votes are equal: beside a border the soft ones nearly are. */
  const tied = (at: number, first: number, second: number): number => {
    count.fill(0);
    for (let p = 0; p < list.length; p++) count[list[p][outputs[p][at] > 0 ? 0 : 1]]++;
    const nearly = second - first + 0.5;
    return highest(count).equals > 1 ? Math.max(0.02, nearly) : Math.min(-0.02, nearly);
  };
  const open = new Float32Array(size);
  let many = 0;
  for (let at = 0; at < size; at++) {
    let [first, second, winner] = [-Infinity, -Infinity, 0];
    for (let k = 0; k < totals.length; k++) {
      const value = totals[k][at];
      if (value > first) [first, second, winner] = [value, first, k];
      else if (value > second) second = value;
    }
    for (let k = 0; k < totals.length; k++) lead[k][at] = totals[k][at] - (k === winner ? second : first);
    open[at] = several.scheme === "ovr" ? Math.max(-first, second) : several.scheme === "ovo" ? tied(at, first, second) : -1;
    if (open[at] > 0) many++;
  }
  return { lead, open, share: many / size };
}

/** So much less a class counts than the one before it: among equals the first wins. */
const PRECEDENCE = 0.02;

/**
 * Votes as fields that can be drawn: within a cell of where a pair's output is zero its vote goes over from one class to the
 * other, so that borders are straight instead of stairs.
 */
function softVotes(outputs: readonly Float32Array[], classes: number, { nx, ny }: Lattice): Float32Array[] {
  const totals = Array.from({ length: classes }, (_, k) => new Float32Array(nx * ny).fill(-PRECEDENCE * k));
  pairs(classes).forEach(([first, second], p) => {
    const f = outputs[p];
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++) {
        const at = j * nx + i;
        const across = f[j * nx + Math.min(nx - 1, i + 1)] - f[j * nx + Math.max(0, i - 1)];
        const up = f[Math.min(ny - 1, j + 1) * nx + i] - f[Math.max(0, j - 1) * nx + i];
        const cell = Math.hypot(across, up) || 1e-30;
        const vote = Math.min(1, Math.max(0, 0.5 + f[at] / cell));
        totals[first][at] += vote;
        totals[second][at] += 1 - vote;
      }
    }
  });
  return totals;
}

/** Rows that are given another class than their own. */
export function trainingErrors(engine: Engine, several: Several, { rows, y }: Dataset): number {
  const outputs = several.machines.map((machine) => engine.decide(machine, rows));
  return y.filter((code, i) => judge(several, outputs.map((values) => values[i])).winner !== code).length;
}

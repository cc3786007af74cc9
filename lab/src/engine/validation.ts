// Errors on rows that a machine has seen, on rows that it was held back from, and on test rows.
import { pick } from "./codes";
import type { Engine } from "./engine";
import { cSvc } from "./formulations";
import type { ErrorMap, Kernel, Rows } from "./types";

export interface ValidationTask {
  readonly data: Rows;
  readonly y: Float64Array;
  /** gamma is that of the column. */
  readonly kernel: Kernel;
  readonly Cs: Float64Array;
  readonly gammas: Float64Array;
  /** Of each row: the fold that it is held out in, or -1 for a test row. */
  readonly folds: Int32Array;
  readonly weight?: Float64Array;
}

type Columns = Pick<ErrorMap, "train" | "validation" | "test" | "support">;

/** One column of the map: all values of C at one gamma. */
export function errorColumn(engine: Engine, task: ValidationTask, gamma: number): Columns {
  const { Cs, folds } = task;
  const [train, validation, test, support] = Array.from({ length: 4 }, () => new Float64Array(Cs.length)) as [
    Float64Array, Float64Array, Float64Array, Float64Array,
  ];
  const kernel = { ...task.kernel, gamma };
  const numbers = [...new Set(folds)].filter((fold) => fold >= 0);
  const where = (keep: (fold: number) => boolean) =>
    Int32Array.from({ length: folds.length }, (_, i) => i).filter((i) => keep(folds[i]!));
  const inside = where((fold) => fold >= 0);
  const tested = where((fold) => fold < 0);
  Cs.forEach((C, r) => {
    let wrong = 0;
    for (const fold of numbers) {
      const kept = where((other) => other >= 0 && other !== fold);
      const held = where((other) => other === fold);
      const judged = judge(engine, task, kernel, C, kept, held);
      wrong += judged.wrong;
    }
    validation[r] = wrong / inside.length;
    const whole = judge(engine, task, kernel, C, inside, tested);
    train[r] = whole.train;
    support[r] = whole.support;
    test[r] = tested.length > 0 ? whole.wrong / tested.length : NaN;
  });
  return { train, validation, test, support };
}

/** Fits on some rows and counts the mistakes on others. */
function judge(engine: Engine, task: ValidationTask, kernel: Kernel, C: number, kept: Int32Array, others: Int32Array) {
  const own = (rows: Int32Array) => Float64Array.from(rows, (i) => task.y[i]!);
  const weight = task.weight && Float64Array.from(kept, (i) => task.weight![i]!);
  const y = own(kept);
  const signs = new Set(y);
  if (signs.size < 2) {
    // One class alone: it is what is predicted.
    const wrong = own(others).filter((v) => !signs.has(v)).length;
    return { wrong, train: 0, support: 0 };
  }
  const fit = engine.fit(cSvc(pick(task.data, kept), y, kernel, { C, weight }));
  // At zero it is +1, as in the package.
  const mistakes = (scores: Float64Array, labels: Float64Array) =>
    scores.reduce((count, score, i) => count + (score >= 0 === labels[i]! > 0 ? 0 : 1), 0);
  return {
    wrong: others.length > 0 ? mistakes(engine.decide(fit, pick(task.data, others)), own(others)) : 0,
    train: mistakes(fit.decision, y) / kept.length,
    support: fit.support / kept.length,
  };
}

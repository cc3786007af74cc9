// Scores of rows that a machine has not seen, and what two calibrations make of them.
import type { Engine } from "../../engine";
import { cSvc } from "../../engine/formulations";
import type { Fit, Kernel } from "../../engine/types";
import { fitSigmoid, isotonic, type Sigmoid, type Steps } from "../../mathematics/calibration";
import { folds } from "../../mathematics/folds";
import type { Dataset } from "../../state/dataset";

/** As many as the package deals its rows out to. */
export const N_FOLDS = 4;

export interface Calibrated {
  /** Fitted to all training rows. */
  readonly fit: Fit;
  /** Score of each training row by a machine that has not seen it. */
  readonly scores: Float64Array;
  readonly sigmoid: Sigmoid;
  readonly steps: Steps;
}

export function calibrated(engine: Engine, { rows, y, weight }: Dataset, kernel: Kernel, C: number): Calibrated {
  const fold = folds(y, N_FOLDS);
  const scores = new Float64Array(rows.n);
  for (let k = 0; k < N_FOLDS; k++) {
    const fit = engine.fit(cSvc(rows, y, kernel, { C, weight: weight.map((value, i) => (fold[i] === k ? 0 : value)) }));
    for (let i = 0; i < rows.n; i++) if (fold[i] === k) scores[i] = fit.decision[i];
  }
  return {
    fit: engine.fit(cSvc(rows, y, kernel, { C, weight })),
    scores,
    sigmoid: fitSigmoid(scores, y),
    steps: isotonic(scores, y),
  };
}

/** The score that the sigmoid gives a probability. */
export const scoreOf = ({ slope, offset }: Sigmoid, probability: number): number =>
  (Math.log((1 - probability) / probability) - offset) / slope;

// The objective of the linear soft margin over the plane of (w1, w2), at a given b: for the picture of a descent.
import { contours } from "d3-contour";
import type { Dataset } from "../../state/dataset";

export interface Landscape {
  readonly low: readonly [number, number];
  readonly high: readonly [number, number];
  readonly cells: number;
  readonly values: Float64Array;
}

/** 1/2 |w|^2 + C sum_i s_i max(0, 1 - y_i (w'x_i + b)) */
export function objective(data: Dataset, C: number, w1: number, w2: number, b: number): number {
  const { x, n } = data.rows;
  let loss = 0;
  for (let i = 0; i < n; i++) {
    const z = data.y[i] * (w1 * x[2 * i] + w2 * x[2 * i + 1] + b);
    if (z < 1) loss += data.weight[i] * (1 - z);
  }
  return (w1 * w1 + w2 * w2) / 2 + C * loss;
}

export function landscape(data: Dataset, C: number, b: number, low: readonly [number, number], high: readonly [number, number], cells = 70): Landscape {
  const values = new Float64Array(cells * cells);
  for (let j = 0; j < cells; j++)
    for (let i = 0; i < cells; i++) {
      const w1 = low[0] + ((i + 0.5) / cells) * (high[0] - low[0]);
      const w2 = low[1] + ((j + 0.5) / cells) * (high[1] - low[1]);
      values[j * cells + i] = objective(data, C, w1, w2, b);
    }
  return { low, high, cells, values };
}

/** Level lines as SVG paths, at distances above the lowest value that double each time. */
export function levels({ cells, values, low, high }: Landscape, count: number, x: (w: number) => number, y: (w: number) => number): string[] {
  let least = Infinity;
  let most = -Infinity;
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  const toX = (u: number): number => x(low[0] + (u / cells) * (high[0] - low[0]));
  const toY = (v: number): number => y(low[1] + (v / cells) * (high[1] - low[1]));
  const make = contours().size([cells, cells]).smooth(true);
  return Array.from({ length: count }, (_, k) => {
    const shape = make.contour(values as unknown as number[], least + (most - least) * 0.62 ** (count - k));
    return shape.coordinates.map((polygon) => polygon.map((ring) => "M" + ring.map(([u, v]) => `${toX(u).toFixed(1)} ${toY(v).toFixed(1)}`).join("L")).join("")).join("");
  });
}

// From the coordinates of the data to pixels and back.
import type { Frame } from "../state/dataset";

export interface Viewport {
  readonly frame: Frame;
  readonly width: number;
  readonly height: number;
  x(value: number): number;
  y(value: number): number;
  /** Pixels back to coordinates. */
  at(px: number, py: number): [number, number];
  /** Pixels per unit, in both directions. */
  readonly scale: readonly [number, number];
}

/** Beyond this ratio of the ranges, equal units would flatten the picture, and each axis gets its own. */
const MOST_UNEQUAL = 3;

/** Shows at least the frame; with `equal` one unit is as long in both directions, so that right angles look right. */
export function viewport(frame: Frame, width: number, height: number, equal = true): Viewport {
  let { x0, x1, y0, y1 } = frame;
  const sx = width / (x1 - x0);
  const sy = height / (y1 - y0);
  if (equal && Math.max(sx / sy, sy / sx) <= MOST_UNEQUAL) {
    const s = Math.min(sx, sy);
    const dx = (width / s - (x1 - x0)) / 2;
    const dy = (height / s - (y1 - y0)) / 2;
    [x0, x1, y0, y1] = [x0 - dx, x1 + dx, y0 - dy, y1 + dy];
  }
  const kx = width / (x1 - x0);
  const ky = height / (y1 - y0);
  return {
    frame: { x0, x1, y0, y1 },
    width,
    height,
    scale: [kx, ky],
    x: (value) => (value - x0) * kx,
    y: (value) => height - (value - y0) * ky,
    at: (px, py) => [x0 + px / kx, y0 + (height - py) / ky],
  };
}

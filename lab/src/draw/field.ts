// The values of f on a lattice over the plane: shading, level lines, and the way uphill.
import { contours } from "d3-contour";
import type { Engine } from "../engine";
import type { Expansion, Lattice } from "../engine/types";
import { channels, type Palette } from "./palette";
import type { Viewport } from "./viewport";

export interface Field {
  readonly lattice: Lattice;
  readonly values: Float32Array;
}

/** Lattice points beyond each edge: level lines leave the picture before they are closed along the border. */
const BEYOND = 2;

/** About `cells` points in each direction of the viewport. */
export function latticeOf(view: Viewport, cells: number): Lattice {
  const { x0, x1, y0, y1 } = view.frame;
  const nx = Math.max(8, Math.round(view.width >= view.height ? cells : (cells * view.width) / view.height));
  const ny = Math.max(8, Math.round(view.width >= view.height ? (cells * view.height) / view.width : cells));
  const hx = (x1 - x0) / (nx - 1 - 2 * BEYOND);
  const hy = (y1 - y0) / (ny - 1 - 2 * BEYOND);
  return { x0: x0 - BEYOND * hx, x1: x1 + BEYOND * hx, nx, y0: y0 - BEYOND * hy, y1: y1 + BEYOND * hy, ny };
}

export function fieldOf(engine: Engine, fit: Expansion, view: Viewport, cells: number): Field {
  const lattice = latticeOf(view, cells);
  return { lattice, values: engine.grid(fit, lattice) };
}

/** f at (x, y), between the lattice points; outside of the lattice at its edge. */
export function interpolate({ lattice, values }: Field, x: number, y: number): number {
  const { x0, x1, nx, y0, y1, ny } = lattice;
  const u = Math.min(nx - 1.001, Math.max(0, ((x - x0) / (x1 - x0)) * (nx - 1)));
  const v = Math.min(ny - 1.001, Math.max(0, ((y - y0) / (y1 - y0)) * (ny - 1)));
  const i = Math.floor(u);
  const j = Math.floor(v);
  const at = j * nx + i;
  const s = u - i;
  const t = v - j;
  const low = values[at] * (1 - s) + values[at + 1] * s;
  const high = values[at + nx] * (1 - s) + values[at + nx + 1] * s;
  return low * (1 - t) + high * t;
}

/** Makes what lies above a level the current path, to be stroked, filled or clipped to; its pieces are closed in the picture, or outside of it. */
export function traceLevel(ctx: CanvasRenderingContext2D, field: Field, view: Viewport, level: number): void {
  const { lattice, values } = field;
  const { x0, x1, nx, y0, y1, ny } = lattice;
  // d3-contour puts the value of cell (i, j) at (i + 1/2, j + 1/2).
  const toX = (u: number): number => view.x(x0 + ((u - 0.5) / (nx - 1)) * (x1 - x0));
  const toY = (v: number): number => view.y(y0 + ((v - 0.5) / (ny - 1)) * (y1 - y0));
  const shape = contours().size([nx, ny]).smooth(true).contour(values as unknown as number[], level);
  ctx.beginPath();
  for (const polygon of shape.coordinates)
    for (const ring of polygon)
      ring.forEach(([u, v], at) => (at ? ctx.lineTo(toX(u), toY(v)) : ctx.moveTo(toX(u), toY(v))));
}

/** Strokes one level line. */
export function strokeLevel(ctx: CanvasRenderingContext2D, field: Field, view: Viewport, level: number): void {
  traceLevel(ctx, field, view, level);
  ctx.stroke();
}

let tile: HTMLCanvasElement | null = null;

/** Tints the plane: the colour of the class that f speaks for, stronger with |f|; none where f is 0. */
export function shade(ctx: CanvasRenderingContext2D, field: Field, view: Viewport, palette: Palette): void {
  const { lattice, values } = field;
  const { nx, ny } = lattice;
  tile ??= document.createElement("canvas");
  if (tile.width !== nx || tile.height !== ny) [tile.width, tile.height] = [nx, ny];
  const pen = tile.getContext("2d");
  if (!pen) return;
  const image = pen.createImageData(nx, ny);
  const [minus, plus] = [channels(palette.classes[0]), channels(palette.classes[1])];
  const strongest = palette.dark ? 78 : 62;
  for (let j = 0; j < ny; j++) {
    for (let i = 0; i < nx; i++) {
      const f = values[j * nx + i];
      const color = f < 0 ? minus : plus;
      const at = 4 * ((ny - 1 - j) * nx + i);
      image.data[at] = color[0];
      image.data[at + 1] = color[1];
      image.data[at + 2] = color[2];
      image.data[at + 3] = f === 0 ? 0 : strongest * (0.28 + 0.72 * Math.min(1, Math.abs(f) / 1.6));
    }
  }
  pen.putImageData(image, 0, 0);
  // The centre of the first pixel is the first lattice point.
  const hx = (lattice.x1 - lattice.x0) / (nx - 1);
  const hy = (lattice.y1 - lattice.y0) / (ny - 1);
  const left = view.x(lattice.x0 - hx / 2);
  const top = view.y(lattice.y1 + hy / 2);
  ctx.imageSmoothingEnabled = true;
  ctx.drawImage(tile, left, top, view.x(lattice.x1 + hx / 2) - left, view.y(lattice.y0 - hy / 2) - top);
}

/** From (x, y) the steepest way to where sign * f is 1, in coordinates of the data; null if it is not reached. */
export function wayToMargin(field: Field, x: number, y: number, sign: number): [number, number][] | null {
  const { lattice } = field;
  const hx = (lattice.x1 - lattice.x0) / (lattice.nx - 1);
  const hy = (lattice.y1 - lattice.y0) / (lattice.ny - 1);
  const way: [number, number][] = [[x, y]];
  for (let step = 0; step < 60; step++) {
    const left = 1 - sign * interpolate(field, x, y);
    if (left < 1e-3) return way;
    const gx = (sign * (interpolate(field, x + hx, y) - interpolate(field, x - hx, y))) / (2 * hx);
    const gy = (sign * (interpolate(field, x, y + hy) - interpolate(field, x, y - hy))) / (2 * hy);
    const steep = gx * gx + gy * gy;
    if (!(steep > 1e-12)) return null;
    // Newton's step along the slope, at most four cells long.
    const whole = left / steep;
    const longest = (4 * Math.hypot(hx, hy)) / Math.sqrt(2 * steep);
    const length = Math.min(whole, longest);
    x += length * gx;
    y += length * gy;
    way.push([x, y]);
    if (length === whole && Math.abs(whole) * Math.sqrt(steep) < 0.2 * hx) return way;
  }
  return null;
}

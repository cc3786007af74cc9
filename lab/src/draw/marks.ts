// What is drawn on the plane: points, rings, stems, axes. All sizes are in CSS pixels.
import { scaleLinear } from "d3-scale";
import type { Palette } from "./palette";
import { short } from "./numbers";
import type { Viewport } from "./viewport";

/** What a view's own drawing on the plane is given. */
export interface Pen {
  readonly ctx: CanvasRenderingContext2D;
  readonly view: Viewport;
  readonly palette: Palette;
  /** 1; more on a projector. */
  readonly size: number;
}

/** A mark of class `index`: circle, square, triangle, diamond; shapes as the plots of the package have them. */
export function mark({ ctx, palette, size }: Pen, px: number, py: number, index: number, radius = 5, faded = false): void {
  const r = radius * size;
  ctx.beginPath();
  if (index % 4 === 0) ctx.arc(px, py, r, 0, 2 * Math.PI);
  else if (index % 4 === 1) ctx.rect(px - 0.89 * r, py - 0.89 * r, 1.78 * r, 1.78 * r);
  else if (index % 4 === 2) polygon(ctx, px, py, 1.25 * r, 3, -Math.PI / 2);
  else polygon(ctx, px, py, 1.2 * r, 4, 0);
  ctx.globalAlpha = faded ? 0.35 : 1;
  ctx.fillStyle = palette.classes[index % palette.classes.length];
  ctx.fill();
  ctx.lineWidth = size;
  ctx.strokeStyle = palette.paper;
  ctx.stroke();
  ctx.globalAlpha = 1;
}

function polygon(ctx: CanvasRenderingContext2D, px: number, py: number, r: number, corners: number, turn: number): void {
  for (let k = 0; k <= corners; k++) {
    const angle = turn + (2 * Math.PI * k) / corners;
    ctx.lineTo(px + r * Math.cos(angle), py + r * Math.sin(angle));
  }
}

/** The ring whose area beyond the mark is in proportion to `share`, alpha of the box. */
export function ring({ ctx, size }: Pen, px: number, py: number, share: number, color: string): void {
  const r = Math.sqrt(6.5 ** 2 + 11 ** 2 * share) * size;
  ctx.beginPath();
  ctx.arc(px, py, r, 0, 2 * Math.PI);
  ctx.strokeStyle = color;
  ctx.lineWidth = 2 * size;
  ctx.stroke();
}

export function halo({ ctx, palette, size }: Pen, px: number, py: number, radius = 10): void {
  ctx.beginPath();
  ctx.arc(px, py, radius * size, 0, 2 * Math.PI);
  ctx.strokeStyle = palette.accent;
  ctx.lineWidth = 2.5 * size;
  ctx.setLineDash([]);
  ctx.stroke();
}

export function line({ ctx, view }: Pen, points: readonly (readonly [number, number])[]): void {
  ctx.beginPath();
  points.forEach(([x, y], at) => (at ? ctx.lineTo(view.x(x), view.y(y)) : ctx.moveTo(view.x(x), view.y(y))));
  ctx.stroke();
}

/** Ticks inside the lower and left edge, with numbers and the features' names. */
export function axes({ ctx, view, palette, size }: Pen, names: readonly string[]): void {
  const { x0, x1, y0, y1 } = view.frame;
  ctx.font = `${11 * size}px system-ui, sans-serif`;
  ctx.fillStyle = palette.grey;
  ctx.strokeStyle = palette.grey;
  ctx.lineWidth = 1;
  ctx.textAlign = "center";
  ctx.textBaseline = "bottom";
  const across = scaleLinear([x0, x1], [0, view.width]).ticks(Math.max(2, Math.round(view.width / (90 * size))));
  for (const value of across) {
    const px = view.x(value);
    if (px < 30 * size || px > view.width - 20) continue;
    tick(ctx, px, view.height, px, view.height - 5);
    ctx.fillText(short(value, 4), px, view.height - 7);
  }
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  const up = scaleLinear([y0, y1], [0, view.height]).ticks(Math.max(2, Math.round(view.height / (80 * size))));
  for (const value of up) {
    const py = view.y(value);
    if (py < 24 * size || py > view.height - 24 * size) continue;
    tick(ctx, 0, py, 5, py);
    ctx.fillText(short(value, 4), 8, py);
  }
  ctx.fillStyle = palette.ink;
  ctx.textAlign = "right";
  ctx.textBaseline = "bottom";
  ctx.fillText(names[0] ?? "", view.width - 8, view.height - 22 * size);
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  ctx.fillText(names[1] ?? "", 8, 7);
}

function tick(ctx: CanvasRenderingContext2D, ax: number, ay: number, bx: number, by: number): void {
  ctx.beginPath();
  ctx.moveTo(ax, ay);
  ctx.lineTo(bx, by);
  ctx.stroke();
}

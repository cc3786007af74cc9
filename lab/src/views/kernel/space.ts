// Points of three coordinates on a flat canvas: turned, then seen from afar in perspective.

export type Point = readonly [number, number, number];

export interface Camera {
  /** Turn about the upright axis, and tilt; in radians. */
  readonly turn: number;
  readonly tilt: number;
}

export interface Seen {
  readonly px: number;
  readonly py: number;
  /** Larger is farther away. */
  readonly depth: number;
  /** How much larger than in the middle. */
  readonly near: number;
}

/** How far away the eye is, in units of the picture's half width. */
const EYE = 5;

/** Projects points that lie within -1 ... 1 in each direction, the third of them upwards. */
export function projector({ turn, tilt }: Camera, width: number, height: number): (point: Point) => Seen {
  const [ct, st, cu, su] = [Math.cos(turn), Math.sin(turn), Math.cos(tilt), Math.sin(tilt)];
  const scale = 0.34 * Math.min(width, height * 1.15);
  return ([x, y, z]) => {
    const right = ct * x - st * y;
    const back = st * x + ct * y;
    const up = cu * z + su * back;
    const depth = cu * back - su * z;
    const near = EYE / (EYE + depth);
    return { px: width / 2 + scale * near * right, py: height / 2 - scale * near * up, depth, near };
  };
}

/** The corners, in order, where the plane normal'z + offset = 0 cuts the box of half width `half`. */
export function planeInBox(normal: Point, offset: number, half: Point): Point[] {
  const corners: Point[] = [];
  const value = (z: Point): number => normal[0] * z[0] + normal[1] * z[1] + normal[2] * z[2] + offset;
  const signs = [-1, 1];
  for (let axis = 0; axis < 3; axis++) {
    const [a, b] = [(axis + 1) % 3, (axis + 2) % 3];
    for (const sa of signs) {
      for (const sb of signs) {
        const end = (s: number): Point => {
          const z = [0, 0, 0];
          z[axis] = s * half[axis];
          z[a] = sa * half[a];
          z[b] = sb * half[b];
          return z as unknown as Point;
        };
        const [low, high] = [end(-1), end(1)];
        const [from, to] = [value(low), value(high)];
        if (from < 0 === to < 0) continue;
        const share = from / (from - to);
        corners.push(low.map((part, k) => part + share * (high[k] - part)) as unknown as Point);
      }
    }
  }
  return around(corners, normal);
}

/** Corners of a convex polygon in the order in which they lie around it. */
function around(corners: Point[], normal: Point): Point[] {
  if (corners.length < 3) return [];
  const middle = [0, 1, 2].map((k) => corners.reduce((sum, z) => sum + z[k] / corners.length, 0));
  const first = [0, 1, 2].map((k) => corners[0][k] - middle[k]);
  const second = [0, 1, 2].map((k) => normal[(k + 1) % 3] * first[(k + 2) % 3] - normal[(k + 2) % 3] * first[(k + 1) % 3]);
  const size = Math.hypot(...normal) || 1;
  const angle = (z: Point): number => {
    let [x, y] = [0, 0];
    for (let k = 0; k < 3; k++) {
      x += (z[k] - middle[k]) * first[k];
      y += ((z[k] - middle[k]) * second[k]) / size;
    }
    return Math.atan2(y, x);
  };
  return corners.slice().sort((u, v) => angle(u) - angle(v));
}

/**
 * The turn (or mirror) of two coordinates that brings them nearest to two others: what the first two
 * axes of a lift are turned by, so that the flat plane unfolds instead of spinning.
 */
export function aligning(from: readonly (readonly [number, number])[], to: readonly (readonly [number, number])[]): [number, number, number, number] {
  const sums = [0, 0, 0, 0];
  from.forEach(([a, b], i) => {
    sums[0] += to[i][0] * a;
    sums[1] += to[i][0] * b;
    sums[2] += to[i][1] * a;
    sums[3] += to[i][1] * b;
  });
  // Of all turns and all mirrors the one with the larger trace of R'sums.
  const turn = Math.atan2(sums[2] - sums[1], sums[0] + sums[3]);
  const mirror = Math.atan2(sums[2] + sums[1], sums[0] - sums[3]);
  const [c, s] = [Math.cos, Math.sin];
  const asTurn = Math.hypot(sums[2] - sums[1], sums[0] + sums[3]);
  const asMirror = Math.hypot(sums[2] + sums[1], sums[0] - sums[3]);
  return asTurn >= asMirror ? [c(turn), -s(turn), s(turn), c(turn)] : [c(mirror), s(mirror), s(mirror), -c(mirror)];
}

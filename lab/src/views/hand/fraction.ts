// Fractions of whole numbers of any size.

function gcd(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a < 0n ? -a : a;
}

export class Fraction {
  readonly top: bigint;
  /** Positive, and without a common factor with the top. */
  readonly bottom: bigint;

  constructor(top: bigint, bottom = 1n) {
    if (bottom === 0n) throw new RangeError("a fraction cannot be divided by zero");
    const common = gcd(top, bottom) * (bottom < 0n ? -1n : 1n);
    this.top = top / common;
    this.bottom = bottom / common;
  }

  static readonly zero = new Fraction(0n);
  static readonly one = new Fraction(1n);

  /** The number that a decimal means as it is written: 0.1 is 1/10. */
  static of(value: number): Fraction {
    const [digits, power = "0"] = String(value).split("e");
    const [whole, part = ""] = digits.split(".");
    const exponent = Number(power) - part.length;
    const top = BigInt(whole + part);
    return exponent >= 0 ? new Fraction(top * 10n ** BigInt(exponent)) : new Fraction(top, 10n ** BigInt(-exponent));
  }

  /** The fraction with the smallest denominator that is within `error` of the value (continued fractions). */
  static near(value: number, error: number): Fraction {
    let [top, before] = [BigInt(Math.floor(value)), 1n];
    let [bottom, below] = [1n, 0n];
    let rest = value - Math.floor(value);
    while (Math.abs(Number(top) / Number(bottom) - value) > error && rest !== 0) {
      const inverse = 1 / rest;
      const digit = BigInt(Math.floor(inverse));
      [top, before] = [digit * top + before, top];
      [bottom, below] = [digit * bottom + below, bottom];
      rest = inverse - Math.floor(inverse);
    }
    return new Fraction(top, bottom);
  }

  plus(other: Fraction): Fraction {
    return new Fraction(this.top * other.bottom + other.top * this.bottom, this.bottom * other.bottom);
  }

  minus(other: Fraction): Fraction {
    return new Fraction(this.top * other.bottom - other.top * this.bottom, this.bottom * other.bottom);
  }

  times(other: Fraction): Fraction {
    return new Fraction(this.top * other.top, this.bottom * other.bottom);
  }

  over(other: Fraction): Fraction {
    return new Fraction(this.top * other.bottom, this.bottom * other.top);
  }

  negated(): Fraction {
    return new Fraction(-this.top, this.bottom);
  }

  power(exponent: number): Fraction {
    return new Fraction(this.top ** BigInt(exponent), this.bottom ** BigInt(exponent));
  }

  get isZero(): boolean {
    return this.top === 0n;
  }

  /** -1, 0 or 1, as this is less than, equal to or more than the other. */
  compare(other: Fraction): number {
    const difference = this.top * other.bottom - other.top * this.bottom;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }

  toNumber(): number {
    return Number(this.top) / Number(this.bottom);
  }

  /** "-3/4", "2". */
  toString(): string {
    return this.bottom === 1n ? String(this.top) : `${this.top}/${this.bottom}`;
  }
}

/** Solves rows of [A | b]; columns without a pivot take the values of `guess`. Null if there is no solution. */
export function solveLinear(rows: readonly (readonly Fraction[])[], guess: (column: number) => Fraction): Fraction[] | null {
  const table = rows.map((row) => [...row]);
  const columns = rows[0].length - 1;
  const pivotOf = new Map<number, number>();
  let next = 0;
  for (let column = 0; column < columns && next < table.length; column++) {
    const found = table.findIndex((row, at) => at >= next && !row[column].isZero);
    if (found < 0) continue;
    [table[next], table[found]] = [table[found], table[next]];
    const pivot = table[next][column];
    table[next] = table[next].map((value) => value.over(pivot));
    for (let at = 0; at < table.length; at++) {
      const factor = table[at][column];
      if (at !== next && !factor.isZero) table[at] = table[at].map((value, k) => value.minus(factor.times(table[next][k])));
    }
    pivotOf.set(column, next++);
  }
  if (table.slice(next).some((row) => !row[columns].isZero)) return null;
  const solution = Array.from({ length: columns }, (_, k) => (pivotOf.has(k) ? Fraction.zero : guess(k)));
  for (const [column, at] of pivotOf) {
    let value = table[at][columns];
    for (let k = 0; k < columns; k++) if (!pivotOf.has(k)) value = value.minus(table[at][k].times(solution[k]));
    solution[column] = value;
  }
  return solution;
}

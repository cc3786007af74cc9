/** Numbers that look random and are the same in every browser: no Math.random, no sine, no logarithm. */

/** A stream of numbers, by its seed. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = (seed ^ 0x9e3779b9) >>> 0;
    for (let i = 0; i < 4; ++i) this.uniform();
  }

  /** From 0 up to 1: xorshift of 32 bits. */
  uniform(): number {
    let x = this.state || 1;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.state = x >>> 0;
    return this.state / 4294967296;
  }

  /** Nearly normal, of mean 0 and variance 1: the sum of twelve uniform numbers less its mean. */
  normal(): number {
    let sum = -6;
    for (let i = 0; i < 12; ++i) sum += this.uniform();
    return sum;
  }

  /** The numbers 0 to n - 1 in some order. */
  order(n: number): number[] {
    const places = Array.from({ length: n }, (_, i) => i);
    for (let i = n - 1; i > 0; --i) {
      const j = Math.floor(this.uniform() * (i + 1));
      [places[i], places[j]] = [places[j], places[i]];
    }
    return places;
  }
}

// Numbers as a reader wants them: few digits, a true minus, no trailing zeros.

/** `digits` significant ones; powers of ten beyond 10^6 and below 10^-4. */
export function short(value: number, digits = 3): string {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text =
    size >= 1e6 || size < 1e-4 ? power(value, digits) : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}

const RAISED: Record<string, string> = {
  "-": "⁻", "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸", "9": "⁹",
};

function power(value: number, digits: number): string {
  const [mantissa, exponent] = value.toExponential(Math.min(digits, 3) - 1).split("e");
  const raised = [...String(Number(exponent))].map((digit) => RAISED[digit]).join("");
  return Number(mantissa) === 1 ? `10${raised}` : `${Number(mantissa)}·10${raised}`;
}

export const fixed = (value: number, places: number): string => value.toFixed(places).replace("-", "−");

/** A share of one as per cent. */
export const percent = (share: number, digits = 2): string => `${short(100 * share, digits)} %`;

const grouped = new Intl.NumberFormat("en");

export const plural = (count: number, one: string, many = `${one}s`): string => `${grouped.format(count)} ${count === 1 ? one : many}`;

export function duration(seconds: number): string {
  if (seconds < 1e-3) return `${short(seconds * 1e6, 2)} µs`;
  if (seconds < 1) return `${short(seconds * 1e3, 2)} ms`;
  return `${short(seconds, 3)} s`;
}

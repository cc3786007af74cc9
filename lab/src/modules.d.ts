declare module "*?packed" {
  /** The file, gzipped, in base64. */
  const text: string;
  export default text;
}

/** Replaced by the MathML of the formula when the page is built; see plugins.ts. */
declare function tex(source: TemplateStringsArray): string;

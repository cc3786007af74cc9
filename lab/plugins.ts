// What the build does beyond Vite: formulas become MathML, binary files become text.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import temml from "temml";
import type { Plugin } from "vite";

const FORMULA = /\btex`((?:[^`\\]|\\.)*)`/g;

/** tex`\alpha_i` in the sources becomes the string of its MathML: the page carries no typesetter. */
export function formulas(): Plugin {
  return {
    name: "maxmargin-formulas",
    enforce: "pre",
    transform(code, id) {
      if (!/\.(svelte|ts)$/.test(id) || id.includes("node_modules") || !code.includes("tex`")) return null;
      const made = code.replace(FORMULA, (_, source: string) =>
        JSON.stringify(temml.renderToString(source, { throwOnError: true, annotate: false })).replaceAll("'", "&#39;"),
      );
      return { code: made, map: null };
    },
  };
}

/** `import text from "file?packed"`: the file gzipped, in base64; `DecompressionStream` unpacks it in the page. */
export function packed(): Plugin {
  return {
    name: "maxmargin-packed",
    enforce: "pre",
    load(id) {
      if (!id.endsWith("?packed")) return null;
      const file = id.slice(0, -"?packed".length);
      this.addWatchFile(file);
      const text = gzipSync(readFileSync(file), { level: 9 }).toString("base64");
      return `export default ${JSON.stringify(text)};`;
    },
  };
}

import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import typescript from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

export default typescript.config(
  { ignores: ["node_modules", "dist"] },
  js.configs.recommended,
  ...typescript.configs.strict,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: { ...globals.browser, ...globals.node, tex: "readonly" } },
    rules: {
      // Typed arrays are read by index in every loop.
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      eqeqeq: "error",
      "prefer-const": "error",
    },
  },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: typescript.parser, extraFileExtensions: [".svelte"], svelteConfig } },
    rules: {
      // Formulas are MathML that the build has made of literals in the sources.
      "svelte/no-at-html-tags": "off",
      "prefer-const": "off",
      // Maps and sets inside of a computation are no state.
      "svelte/prefer-svelte-reactivity": "off",
    },
  },
);

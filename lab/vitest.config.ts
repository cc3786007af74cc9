import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { formulas, packed } from "./plugins.ts";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [formulas(), packed(), svelte()],
  test: { include: ["src/**/*.test.ts"], environment: "node" },
});

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";
import { formulas, packed } from "./plugins.ts";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [formulas(), packed(), svelte(), viteSingleFile({ removeViteModuleLoader: true })],
  build: {
    outDir: "../build/lab",
    // The compiled core lies there, too.
    emptyOutDir: false,
    target: "es2022",
    chunkSizeWarningLimit: 1000,
  },
  // A module as a worker is refused to a page from disk.
  worker: { format: "iife", plugins: () => [formulas(), packed()] },
});

import { defineConfig } from "vitest/config";

export default defineConfig({
  root: import.meta.dirname,
  // One browser for all files, one after the other: the frame times must not share the machine with each other.
  test: { include: ["tests/**/*.page.ts"], testTimeout: 30_000, hookTimeout: 30_000, fileParallelism: false },
});

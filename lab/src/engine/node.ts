// The engine in node, for tests.
import { readFileSync } from "node:fs";
import { Engine } from "./engine";

export function nodeEngine(): Engine {
  const file = new URL("../../../build/wasm/engine.wasm", import.meta.url);
  return new Engine(new WebAssembly.Module(readFileSync(file)));
}

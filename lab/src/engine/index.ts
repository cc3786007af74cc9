// The engine of the page: unpacked and compiled once, shared with the worker.
import packed from "../../../build/wasm/engine.wasm?packed";
import { Engine } from "./engine";

export { Engine } from "./engine";
export { EngineError } from "./memory";
export { Remote } from "./remote";

export async function loadEngine(): Promise<Engine> {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Engine(await WebAssembly.compile(await new Response(unpacked).arrayBuffer()));
}

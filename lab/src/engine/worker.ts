// The engine's side of `Remote`.
import { Engine } from "./engine";
import type { Answer, Call } from "./remote";

let engine: Engine | null = null;

onmessage = ({ data }: MessageEvent<WebAssembly.Module | Call>) => {
  if (data instanceof WebAssembly.Module) {
    engine = new Engine(data);
    return;
  }
  const { id, name, given } = data;
  try {
    const value = (engine![name] as (...given: unknown[]) => unknown)(...given);
    postMessage({ id, value } satisfies Answer);
  } catch (error) {
    postMessage({ id, error: error instanceof Error ? error.message : String(error) } satisfies Answer);
  }
};

// The engine in a worker: the same functions, as promises, and all of them can be stopped.
import type { Engine } from "./engine";
import EngineWorker from "./worker?worker&inline";
import { EngineError } from "./memory";
import type { ErrorMap } from "./types";
import type { ValidationTask } from "./validation";

type Functions = {
  [Name in keyof Engine as Engine[Name] extends (...given: never[]) => unknown ? Name : never]: Engine[Name];
};
export type FunctionName = keyof Functions;

/** To the worker: first the compiled core, then calls. */
export type Call = { id: number; name: FunctionName; given: unknown[] };
/** From the worker. */
export type Answer = { id: number; value: unknown } | { id: number; error: string };

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export class Remote {
  #worker: Worker | null = null;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  constructor(readonly module: WebAssembly.Module) {}

  /** Calls a function of the engine: remote.call("fit", problem). */
  call<Name extends FunctionName>(name: Name, ...given: Parameters<Functions[Name]>): Promise<ReturnType<Functions[Name]>> {
    const worker = (this.#worker ??= this.#start());
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      worker.postMessage({ id, name, given } satisfies Call);
    });
  }

  fit(...given: Parameters<Engine["fit"]>): Promise<ReturnType<Engine["fit"]>> {
    return this.call("fit", ...given);
  }

  /** Errors over C and gamma; told column by column, the rest NaN. */
  async errorMap(task: ValidationTask, progress?: (map: ErrorMap, share: number) => void): Promise<ErrorMap> {
    const { Cs, gammas } = task;
    const empty = () => new Float64Array(Cs.length * gammas.length).fill(NaN);
    const map: ErrorMap = { Cs, gammas, train: empty(), validation: empty(), test: empty(), support: empty() };
    for (const [c, gamma] of gammas.entries()) {
      const column = await this.call("errorColumn", task, gamma);
      for (const name of ["train", "validation", "test", "support"] as const) {
        column[name].forEach((value, r) => (map[name][r * gammas.length + c] = value));
      }
      progress?.(map, (c + 1) / gammas.length);
    }
    return map;
  }

  /** Whether a call is under way. */
  get busy(): boolean {
    return this.#waiting.size > 0;
  }

  /** Ends all calls that are under way; the next one gets a new worker. */
  cancel(): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.#fail("The fit was stopped.");
  }

  #start(): Worker {
    const worker = new EngineWorker();
    worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if ("error" in data) waiting?.reject(new EngineError(data.error));
      else waiting?.resolve(data.value);
    };
    worker.onerror = (event) => {
      this.#worker = null;
      this.#fail(event.message);
    };
    worker.postMessage(this.module);
    return worker;
  }

  #fail(message: string): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new EngineError(message));
  }
}

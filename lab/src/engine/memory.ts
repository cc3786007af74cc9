// One instance of the compiled core, and the arrays that go into and out of its memory.

/** What the core said when it could not go on. */
export class EngineError extends Error {
  override readonly name = "EngineError";
}

interface Core {
  readonly memory: WebAssembly.Memory;
  _initialize(): void;
  lab_alloc(bytes: number): number;
  lab_free(address: number): void;
  lab_message(): number;
  readonly [name: string]: unknown;
}

type Numbers = Float64Array | Float32Array | Int32Array | Uint8Array;

/** An array that the core fills. */
export class Out<T extends Numbers> {
  address = 0;
  constructor(readonly values: T) {}
}

const errno = { success: 0, badf: 8 };

/** The four calls of WASI that the core's libraries make: a clock, and files that are not there. */
function wasi(memory: () => WebAssembly.Memory): WebAssembly.ModuleImports {
  return {
    clock_time_get(_clock: number, _precision: bigint, out: number): number {
      new DataView(memory().buffer).setBigUint64(out, BigInt(Math.round(performance.now() * 1e6)), true);
      return errno.success;
    },
    fd_close: () => errno.badf,
    fd_seek: () => errno.badf,
    fd_write: () => errno.badf,
  };
}

export class Memory {
  #core: Core;

  constructor(readonly module: WebAssembly.Module) {
    this.#core = this.#instance();
  }

  #instance(): Core {
    const imports = { wasi_snapshot_preview1: wasi(() => this.#core.memory) };
    const core = new WebAssembly.Instance(this.module, imports).exports as unknown as Core;
    this.#core = core;
    core._initialize();
    return core;
  }

  /** Calls a function of the core: arrays are copied in, `Out`s are copied out, null is no array. */
  call(name: string, ...values: readonly (number | Numbers | Out<Numbers> | null)[]): void {
    const core = this.#core;
    const taken: number[] = [];
    const outs: Out<Numbers>[] = [];
    const take = (bytes: number): number => {
      const address = core.lab_alloc(Math.max(8, bytes));
      if (address === 0) throw new EngineError("This needs more memory than the browser gives a page.");
      taken.push(address);
      return address;
    };
    try {
      const plain = values.map((value) => {
        if (value === null) return 0;
        if (typeof value === "number") return value;
        if (value instanceof Out) {
          value.address = take(value.values.byteLength);
          outs.push(value);
          return value.address;
        }
        const address = take(value.byteLength);
        view(core.memory, value, address).set(value);
        return address;
      });
      (core[name] as (...plain: number[]) => number)(...plain);
      for (const out of outs) out.values.set(view(core.memory, out.values, out.address));
      for (const address of taken) core.lab_free(address);
    } catch (error) {
      // After a trap the instance is of no use, its message excepted.
      const said = message(core);
      this.#core = this.#instance();
      if (error instanceof EngineError) throw error;
      throw new EngineError(said || "This needs more memory than the browser gives a page.");
    }
  }
}

function view(memory: WebAssembly.Memory, like: Numbers, address: number): Numbers {
  const View = like.constructor as new (buffer: ArrayBufferLike, address: number, length: number) => Numbers;
  return new View(memory.buffer, address, like.length);
}

function message(core: Core): string {
  const bytes = new Uint8Array(core.memory.buffer);
  const from = core.lab_message();
  return new TextDecoder().decode(bytes.slice(from, bytes.indexOf(0, from)));
}

// The one state that every view reads: data, parameters, the fit that follows from them, and what is pointed at.
import type { Engine } from "../engine";
import type { DualProblem, Fit } from "../engine/types";
import type { Remote } from "../engine/remote";
import type { Dataset, Task } from "./dataset";
import { initialParameters, type Parameters } from "./parameters";
import { missing, problemOf } from "./problem";

/** Up to here a fit takes less than a frame or a few, and is made where it is asked for; above it the worker makes it. */
export const MOST_ROWS_AT_ONCE = 1500;

type Outcome = { fit: Fit | null; error: string | null };

class Lab {
  /** Null until the core is unpacked and compiled. */
  engine = $state.raw<Engine | null>(null);
  remote = $state.raw<Remote | null>(null);

  /** Which view is open; views/index.ts has them all. */
  view = $state("margins");
  task = $state<Task>("binary");

  /** Each task keeps its own data and parameters. */
  #data = $state.raw<Partial<Record<Task, Dataset>>>({});
  #parameters = $state<Record<Task, Parameters>>(structuredClone(initialParameters));

  /** The row under the pointer, and the one that the keyboard has chosen; views show them alike. */
  hover = $state<number | null>(null);
  selected = $state<number | null>(null);
  /** A point or a slider is being dragged: draw less finely rather than late. */
  dragging = $state(false);

  /** The lesson that is open, with its question; see classroom/lessons.ts. */
  lesson = $state<string | null>(null);

  /** A view's own small state, which the address keeps. */
  note = $state<Record<string, string>>({});

  /** What the plane shows. */
  show = $state({ shading: true, margins: true, rings: true, slack: true });

  get data(): Dataset {
    const data = this.#data[this.task];
    if (!data) throw new Error(`no data for the task ${this.task}`);
    return data;
  }

  set data(data: Dataset) {
    if (data.rows.n !== this.#data[this.task]?.rows.n) this.hover = this.selected = null;
    this.#data = { ...this.#data, [this.task]: data };
  }

  hasData(task: Task): boolean {
    return this.#data[task] !== undefined;
  }

  get parameters(): Parameters {
    return this.#parameters[this.task];
  }

  /** The row that is pointed at, by whatever means. */
  get row(): number | null {
    const row = this.hover ?? this.selected;
    return row !== null && row < this.data.rows.n ? row : null;
  }

  /** Why there is nothing to solve; null if there is. */
  missing = $derived.by(() => missing(this.task, this.data));

  problem = $derived.by((): DualProblem | null =>
    this.missing || this.task === "multi_class" ? null : problemOf(this.task, this.data, this.parameters),
  );

  #atOnce = $derived.by((): Outcome => {
    const { engine, problem } = this;
    if (!engine || !problem || this.isLarge) return { fit: null, error: null };
    try {
      return { fit: engine.fit(problem), error: null };
    } catch (error) {
      return { fit: null, error: String(error instanceof Error ? error.message : error) };
    }
  });

  #later = $state.raw<Outcome>({ fit: null, error: null });
  /** The worker is fitting. */
  busy = $state(false);

  get isLarge(): boolean {
    return this.data.rows.n > MOST_ROWS_AT_ONCE;
  }

  /** The optimum of the current problem; null while there is none. */
  get fit(): Fit | null {
    return this.isLarge ? this.#later.fit : this.#atOnce.fit;
  }

  get error(): string | null {
    return this.isLarge ? this.#later.error : this.#atOnce.error;
  }

  /** Fits the current problem in the worker; returns what stops it. For an effect. */
  fitInWorker(): (() => void) | undefined {
    const { remote, problem } = this;
    if (!remote || !problem || !this.isLarge) return undefined;
    let current = true;
    this.busy = true;
    this.#later = { fit: null, error: null };
    remote
      .fit(problem)
      .then((fit): Outcome => ({ fit, error: null }))
      .catch((error: unknown): Outcome => ({ fit: null, error: error instanceof Error ? error.message : String(error) }))
      .then((outcome) => {
        if (!current) return;
        this.busy = false;
        this.#later = outcome;
      });
    return () => {
      if (current && this.busy) remote.cancel();
      current = false;
    };
  }

  /** Ends a fit in the worker; the page says that it was stopped. */
  stop(): void {
    this.remote?.cancel();
  }
}

export const lab = new Lab();

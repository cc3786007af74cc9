// The built-in data sets: stored numbers, written by make.py.
import { dataset, type Dataset, type Task } from "../state/dataset";
import type { Parameters } from "../state/parameters";
import stored from "./sets.json";

export interface StoredSet {
  readonly name: string;
  readonly task: Task;
  readonly about: string;
  readonly features: readonly string[];
  readonly classes: readonly string[];
  readonly points: readonly (readonly number[])[];
  readonly y: readonly number[];
  /** What suits it. */
  readonly parameters: Partial<Parameters>;
}

export const sets = stored as unknown as Readonly<Record<string, StoredSet>>;

/** The first set of a task is the one it begins with. */
export const firstSet: Record<Task, string> = {
  binary: "clouds",
  regression: "sine",
  one_class: "strays",
  multi_class: "iris-three",
};

export const setsOf = (task: Task): [string, StoredSet][] => Object.entries(sets).filter(([, set]) => set.task === task);

export function storedDataset(id: string): Dataset {
  const { name, features, classes, points, y } = sets[id];
  return dataset({ name, preset: id, features, classes, points, y });
}

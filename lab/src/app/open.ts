// What happens when something is opened: a view, a stored set, a lesson, an address.
import { firstSet, sets, storedDataset } from "../data/sets";
import { dataset, type Task } from "../state/dataset";
import { initialParameters, ranges, type Parameters } from "../state/parameters";
import { lab } from "../state/lab.svelte";
import { preferences } from "../state/preferences.svelte";
import { decode, encode, type Snapshot } from "../state/url";
import { viewOf } from "../views";
import { lessonOf } from "../classroom/lessons";

/** The set that a task was opened with when nobody had asked for one. */
const unasked: Partial<Record<Task, string>> = {};

/** Opens a view: with the data that the reader has chosen or changed for its task, else with those it begins with. */
export function openView(id: string): void {
  const view = viewOf(id);
  lab.view = view.id;
  lab.task = view.task;
  lab.note = {};
  lab.lesson = null;
  lab.hover = lab.selected = null;
  const first = view.preset ?? firstSet[view.task];
  const known = lab.hasData(view.task);
  if (known && (lab.data.preset === first || lab.data.preset !== unasked[view.task])) return;
  openSet(first);
  unasked[view.task] = first;
}

/** A stored set with the parameters that suit it; the others stay. */
export function openSet(id: string): void {
  lab.data = storedDataset(id);
  setParameters({ ...initialParameters[lab.task], ...sets[id].parameters });
}

export function setParameters(parameters: Partial<Parameters>): void {
  Object.assign(lab.parameters, parameters);
}

export function openLesson(id: string): void {
  const lesson = lessonOf(id);
  if (!lesson) return;
  openView(lesson.view);
  openSet(lesson.data);
  setParameters(lesson.parameters ?? {});
  lab.note = { ...lesson.note };
  lab.lesson = lesson.id;
}

/** The state of an address; what it does not say is as the view begins. */
export function openAddress(hash: string): void {
  const found = decode(hash, (view) => viewOf(view).task);
  if (found.lesson && lessonOf(found.lesson)) openLesson(found.lesson);
  else openView(found.view);
  const view = viewOf(lab.view);
  if (view.task === found.task || found.lesson === null) {
    if (typeof found.data === "string" && sets[found.data]?.task === view.task) openSet(found.data);
    else if (found.data && typeof found.data !== "string") lab.data = found.data;
  }
  setParameters(found.parameters);
  Object.assign(lab.show, { shading: true, margins: true, rings: true, slack: true }, found.show);
  Object.assign(lab.note, found.note);
  if (found.theme) preferences.theme = found.theme;
  preferences.projector = found.projector;
  preferences.embed = found.embed;
}

export function snapshot(): Snapshot {
  const { data, view, task, parameters, show, note, lesson } = lab;
  return {
    view,
    task,
    data: data.preset ?? data,
    parameters: { ...parameters },
    show: { ...show },
    note: { ...note },
    theme: preferences.theme === "system" ? null : preferences.theme,
    projector: preferences.projector,
    embed: preferences.embed,
    lesson,
  };
}

/** The address of the current state, or of the given one. */
export const address = (state = snapshot()): string => `${location.href.split("#")[0]}#${encode(state)}`;

/** Data that a program has put into the page; see lab/README.md. */
interface Injected {
  view?: string;
  name?: string;
  features: string[];
  classes: string[];
  points: number[][];
  y: number[];
  weight?: number[];
  parameters?: Partial<Parameters>;
}

/** Takes them over; returns what is wrong with them, if anything. */
export function openInjected(text: string): string | null {
  try {
    const given = JSON.parse(text) as Injected;
    openView(given.view ?? "margins");
    const d = given.features.length;
    const wrong = given.points.findIndex((row) => row.length !== d || !row.every(Number.isFinite));
    if (wrong >= 0) return `The data in this page are broken: row ${wrong + 1} is not ${d} finite numbers.`;
    if (given.y.length !== given.points.length) return `The data in this page are broken: ${given.points.length} points and ${given.y.length} labels.`;
    lab.data = dataset({ ...given, name: given.name ?? "data of this page" });
    setParameters(inRange(given.parameters ?? {}));
    return null;
  } catch (error) {
    return `The data in this page cannot be read: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

function inRange(parameters: Partial<Parameters>): Partial<Parameters> {
  const kept: Partial<Parameters> = { ...parameters };
  for (const [name, { low, high }] of Object.entries(ranges) as [keyof typeof ranges, { low: number; high: number }][]) {
    const value = kept[name];
    if (value !== undefined) kept[name] = Math.min(high, Math.max(low, value));
  }
  return kept;
}

// The whole state as the part of the address after "#", and back.
import { kernelNames, type KernelName } from "../engine/types";
import { dataset, type Dataset, type Task } from "./dataset";
import { initialParameters, ranges, type Parameters } from "./parameters";

/** More edited rows than this make an address that mail programs break. */
export const MOST_ROWS_IN_ADDRESS = 500;

export interface Show {
  shading: boolean;
  margins: boolean;
  rings: boolean;
  slack: boolean;
}

export interface Snapshot {
  readonly view: string;
  readonly task: Task;
  /** A stored set by its name, or the points themselves; null for what the view begins with. */
  readonly data: string | Dataset | null;
  readonly parameters: Partial<Parameters>;
  readonly show: Partial<Show>;
  readonly note: Readonly<Record<string, string>>;
  readonly theme: "light" | "dark" | null;
  readonly projector: boolean;
  readonly embed: boolean;
  /** A lesson of classroom/lessons.ts, which brings all of the above. */
  readonly lesson: string | null;
}

const NUMBERS = ["C", "nu", "epsilon", "gamma", "degree", "coef0"] as const;
const SHOWN = ["shading", "margins", "rings", "slack"] as const;

export function encode(state: Snapshot): string {
  const parts: [string, string][] = [["view", state.view]];
  if (state.lesson) parts.push(["lesson", state.lesson]);
  if (typeof state.data === "string") parts.push(["data", state.data]);
  else if (state.data && state.data.rows.n <= MOST_ROWS_IN_ADDRESS) parts.push(...encodeData(state.data));
  const initial = initialParameters[state.task];
  const { formulation, kernel } = state.parameters;
  if (formulation && formulation !== initial.formulation) parts.push(["formulation", formulation]);
  if (kernel && kernel !== initial.kernel) parts.push(["kernel", kernel]);
  for (const name of NUMBERS) {
    const value = state.parameters[name];
    if (value !== undefined && value !== initial[name]) parts.push([name, String(value)]);
  }
  const hidden = SHOWN.filter((name) => state.show[name] === false);
  if (hidden.length > 0) parts.push(["hide", hidden.join(",")]);
  if (state.theme) parts.push(["theme", state.theme]);
  if (state.projector) parts.push(["projector", "1"]);
  if (state.embed) parts.push(["embed", "1"]);
  for (const [key, value] of Object.entries(state.note)) parts.push([`${key}!`, value]);
  return parts.map(([key, value]) => `${key}=${escape(value)}`).join("&");
}

/** Leaves commas, semicolons and the like readable, which an address may hold after "#". */
const escape = (text: string): string => encodeURIComponent(text).replace(/%(2C|3B|3A|2F|20)/g, (code) => (code === "%20" ? "+" : decodeURIComponent(code)));
const unescape = (text: string): string => decodeURIComponent(text.replaceAll("+", " "));

function encodeData(data: Dataset): [string, string][] {
  const { x, n, d } = data.rows;
  const weighted = data.weight.some((weight) => weight !== 1);
  const rows = Array.from({ length: n }, (_, i) =>
    [...x.subarray(i * d, i * d + d), data.y[i], ...(weighted ? [data.weight[i]] : [])].join(","),
  );
  const { x0, x1, y0, y1 } = data.frame;
  // Commas part the names, so those in a name are written as U+201A, which looks alike.
  const list = (names: readonly string[]): string => names.map((name) => name.replaceAll(",", "‚")).join(",");
  return [
    ["points", rows.join(";")],
    ["features", list(data.features)],
    ["classes", list(data.classes)],
    ["frame", [x0, x1, y0, y1].join(",")],
    ["name", data.name],
  ];
}

/** What can be understood of an address; what cannot is left out. `task` is the view's. */
export function decode(hash: string, taskOf: (view: string) => Task): Snapshot {
  const raw = new Map<string, string>();
  for (const part of hash.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    if (at > 0) raw.set(part.slice(0, at), tryUnescape(part.slice(at + 1)));
  }
  const view = raw.get("view") ?? "";
  const task = taskOf(view);
  const note: Record<string, string> = {};
  for (const [key, value] of raw) if (key.endsWith("!")) note[key.slice(0, -1)] = value;
  const theme = raw.get("theme");
  return {
    view,
    task,
    data: decodeData(raw, task) ?? raw.get("data") ?? raw.get("preset") ?? null,
    parameters: decodeParameters(raw),
    show: Object.fromEntries((raw.get("hide") ?? "").split(",").flatMap((name) => ((SHOWN as readonly string[]).includes(name) ? [[name, false]] : []))),
    note,
    theme: theme === "dark" || theme === "light" ? theme : null,
    projector: raw.get("projector") === "1",
    embed: raw.get("embed") === "1",
    lesson: raw.get("lesson") ?? null,
  };
}

function tryUnescape(text: string): string {
  try {
    return unescape(text);
  } catch {
    return text;
  }
}

function decodeParameters(raw: ReadonlyMap<string, string>): Partial<Parameters> {
  const found: Partial<Parameters> = {};
  const formulation = raw.get("formulation");
  if (formulation === "C" || formulation === "nu" || formulation === "squared") found.formulation = formulation;
  const kernel = raw.get("kernel");
  if (kernel && (kernelNames as readonly string[]).includes(kernel)) found.kernel = kernel as KernelName;
  for (const name of NUMBERS) {
    const value = Number(raw.get(name) ?? NaN);
    const { low, high } = ranges[name];
    if (Number.isFinite(value)) found[name] = Math.min(high, Math.max(low, value));
  }
  return found;
}

function decodeData(raw: ReadonlyMap<string, string>, task: Task): Dataset | null {
  const text = raw.get("points");
  if (!text) return null;
  const d = task === "regression" ? 1 : 2;
  const rows = text.split(";").map((row) => row.split(",").map(Number));
  const width = rows[0].length;
  if (width < d + 1 || rows.some((row) => row.length !== width || !row.every(Number.isFinite))) return null;
  if (task === "binary" && rows.some((row) => Math.abs(row[d]) !== 1)) return null;
  if (task === "multi_class" && rows.some((row) => !Number.isInteger(row[d]) || row[d] < 0 || row[d] > 7)) return null;
  const list = (key: string, count: number, otherwise: readonly string[]): string[] => {
    const names = raw.get(key)?.split(",") ?? [];
    return Array.from({ length: count }, (_, k) => names[k] || otherwise[k] || String(k));
  };
  const classCount = task === "binary" ? 2 : task === "multi_class" ? Math.max(...rows.map((row) => row[2])) + 1 : 1;
  const frame = raw.get("frame")?.split(",").map(Number) ?? [];
  const [x0, x1, y0, y1] = frame;
  const framed = frame.length === 4 && frame.every(Number.isFinite) && x0 < x1 && y0 < y1;
  return dataset({
    name: raw.get("name") ?? "points of the address",
    features: list("features", d, ["x₁", "x₂"]),
    classes: list("classes", classCount, task === "binary" ? ["−1", "+1"] : []),
    points: rows.map((row) => row.slice(0, d)),
    y: rows.map((row) => row[d]),
    ...(width > d + 1 ? { weight: rows.map((row) => row[d + 1]) } : {}),
    ...(framed ? { frame: { x0, x1, y0, y1 } } : {}),
  });
}

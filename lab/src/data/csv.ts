// A pasted or dropped table to a data set of the lab, or a sentence that says what is wrong with it.
import { dataset, type Dataset, type Task } from "../state/dataset";

export const MOST_ROWS = 20_000;
const MOST_CLASSES = 8;
const UNNAMED = "column ";

export interface ParsedTable {
  readonly header: readonly string[];
  /** Text of each cell, row by row. */
  readonly cells: readonly (readonly string[])[];
}

export interface ColumnChoice {
  readonly features: readonly number[];
  readonly target: number | null;
}

/** Says what is wrong and what to do; shown as it is. */
export class TableError extends Error {}

/** Splits text at semicolons, tabs, commas or blanks; quotes as in RFC 4180. The first line may be a header; a column without a name is called by its number. */
export function parseTable(text: string): ParsedTable {
  const clean = text.replace(/^\uFEFF/, "");
  if (!clean.trim()) throw new TableError("The table is empty: paste rows of numbers and a label, separated by commas.");
  const separator = separatorOf(clean);
  const lines = splitCells(clean, separator).map((line) => (separator === "," ? line : line.map(decimalPoint)));
  const rows = lines.filter((line) => line.some((cell) => cell !== "") && !line[0].startsWith("#"));
  if (rows.length === 0) throw new TableError("The table has comments and blank lines only.");
  const hasHeader = !rows[0].some(isNumber) && rows.length > 1;
  const width = rows[0].length;
  const header = rows[0].map((name, k) => (hasHeader && name) || `${UNNAMED}${k + 1}`);
  const cells = hasHeader ? rows.slice(1) : rows;
  if (cells.length > MOST_ROWS) {
    throw new TableError(
      `The table has ${cells.length.toLocaleString("en")} rows; the lab takes up to ${MOST_ROWS.toLocaleString("en")}. ` +
        "Take a sample, or fit it in Python: maxmargin.SVC has no such limit.",
    );
  }
  cells.forEach((row, i) => {
    if (row.length !== width) {
      const line = i + 1 + Number(hasHeader);
      throw new TableError(`Row ${line} has ${row.length} ${row.length === 1 ? "cell" : "cells"}, the first row has ${width}: every row needs as many.`);
    }
  });
  return { header, cells };
}

/** Of the first line, outside of quotes. Commas come last: beside a semicolon or a tab they are those of decimals. */
function separatorOf(text: string): string {
  const first = text.split(/\r?\n/).find((line) => line.trim() && !line.startsWith("#")) ?? "";
  const bare = first.replace(/"[^"]*"/g, "");
  return [";", "\t", ","].find((separator) => bare.includes(separator)) ?? " ";
}

/** 1,5 as many countries write it; only where the comma does not separate. */
const decimalPoint = (cell: string): string => (/^[+-]?\d*,\d+([eE][+-]?\d+)?$/.test(cell) ? cell.replace(",", ".") : cell);

function splitCells(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  const endCell = (): void => {
    row.push(cell.trim());
    cell = "";
  };
  const endRow = (): void => {
    endCell();
    rows.push(separator === " " ? row.filter((part) => part !== "") : row);
    row = [];
  };
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') cell += text[++at];
      else quoted = false;
    } else if (letter === '"' && cell.trim() === "") {
      cell = "";
      quoted = true;
    } else if (letter === separator) endCell();
    else if (letter === "\n") endRow();
    else if (letter !== "\r") cell += letter;
  }
  if (quoted) throw new TableError("A quotation mark is opened and never closed: check the quotes of the table.");
  if (cell !== "" || row.length > 0) endRow();
  return rows;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
export const isNumber = (cell: string): boolean => NUMBER.test(cell);

/** The columns of numbers, and which one is likely the label: one named so, else the only one of texts, else y (beside x it may be the other feature), else the last. */
export function likelyColumns(table: ParsedTable, task: Task): ColumnChoice {
  const { header, cells } = table;
  const numeric = header.map((_, k) => cells.every((row) => isNumber(row[k])));
  const needed = task === "regression" ? 1 : 2;
  const texts = header.map((_, k) => k).filter((k) => !numeric[k]);
  const enough = numeric.filter(Boolean).length;
  const last = header.length - 1;
  const named = (names: RegExp): number => header.findIndex((name) => names.test(name));
  const found = [named(/^(labels?|class|target|species|kind|variety|outcome)$/i), task !== "regression" && texts.length === 1 ? texts[0] : -1, named(/^y$/i), last];
  const target = task === "one_class" ? null : found.find((k) => k >= 0)!;
  // A column without a name is most often a row number: it comes last.
  const unnamed = (k: number): number => Number(header[k].startsWith(UNNAMED));
  const usable = header.map((_, k) => k).filter((k) => numeric[k] && k !== target);
  const features = usable.sort((a, b) => unnamed(a) - unnamed(b)).slice(0, needed);
  if (features.length < needed) {
    const row = cells.findIndex((line) => line.some((cell, k) => k !== target && !isNumber(cell)));
    const where = row >= 0 && enough < header.length ? ` In row ${row + 1} after the header, "${cells[row].find((cell, k) => k !== target && !isNumber(cell))}" is not a finite number.` : "";
    throw new TableError(
      `The table has ${features.length} ${features.length === 1 ? "column" : "columns"} of numbers besides the label; the plane needs ${needed}.${where}`,
    );
  }
  return { features, target };
}

/** The chosen columns as a data set. Labels of two kinds become -1 and +1 in the order of their names or numbers. */
export function tableDataset(table: ParsedTable, choice: ColumnChoice, task: Task, name: string): Dataset {
  const { header, cells } = table;
  const number = (row: readonly string[], k: number, i: number): number => {
    const value = isNumber(row[k]) ? Number(row[k]) : NaN;
    if (!Number.isFinite(value)) {
      throw new TableError(`"${row[k]}" in column ${header[k]}, row ${i + 1}, is not a finite number: correct it or leave the row out.`);
    }
    return value;
  };
  const points = cells.map((row, i) => choice.features.map((k) => number(row, k, i)));
  const features = choice.features.map((k) => header[k]);
  if (task === "one_class" || choice.target === null) {
    return dataset({ name, features, classes: ["usual"], points, y: cells.map(() => 1) });
  }
  const target = choice.target;
  if (task === "regression") {
    return dataset({ name, features, classes: [header[target]], points, y: cells.map((row, i) => number(row, target, i)) });
  }
  const classes = classesOf(cells.map((row) => row[target]));
  const label = header[target];
  if (classes.length < 2) {
    throw new TableError(`All rows have the label "${classes[0]}" in column ${label}: a margin needs two classes. The view "One class" takes such data.`);
  }
  if (task === "binary" && classes.length > 2) {
    throw new TableError(
      `Column ${label} has ${classes.length > MOST_CLASSES ? "more than " + MOST_CLASSES : classes.length} different labels; this view takes two. ` +
        'Choose another column, or the view "Several classes".',
    );
  }
  if (classes.length > MOST_CLASSES) throw new TableError(`Column ${label} has more than ${MOST_CLASSES} different labels; choose another column.`);
  const code = new Map(classes.map((value, k) => [value, task === "binary" ? 2 * k - 1 : k]));
  return dataset({ name, features, classes, points, y: cells.map((row) => code.get(row[target])!) });
}

/** Different labels, numbers in their order, else as texts; at most one more than the lab takes. */
function classesOf(labels: readonly string[]): string[] {
  const different = new Set<string>();
  for (const label of labels) {
    different.add(label);
    if (different.size > MOST_CLASSES) break;
  }
  const all = [...different];
  return all.every(isNumber) ? all.sort((a, b) => Number(a) - Number(b)) : all.sort();
}

/** A data set as CSV text, with a header. */
export function toCsv(data: Dataset, task: Task): string {
  const { x, n, d } = data.rows;
  const weighted = data.weight.some((value) => value !== 1);
  // A label "−1" with a true minus would not be read as a number again.
  const plain = (text: string): string => text.replaceAll("−", "-");
  const quote = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const labelled = task !== "one_class";
  const header = [...data.features, ...(labelled ? [task === "regression" ? data.classes[0] : "label"] : []), ...(weighted ? ["weight"] : [])];
  const lines = Array.from({ length: n }, (_, i) => {
    const cells = Array.from({ length: d }, (_, k) => String(x[i * d + k]));
    if (labelled) cells.push(task === "regression" ? String(data.y[i]) : quote(plain(data.classes[task === "binary" ? Number(data.y[i] > 0) : data.y[i]])));
    if (weighted) cells.push(String(data.weight[i]));
    return cells.join(",");
  });
  return [header.map(quote).join(","), ...lines].join("\n") + "\n";
}

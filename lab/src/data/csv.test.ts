import { describe, expect, it } from "vitest";
import type { Dataset, Task } from "../state/dataset";
import { likelyColumns, MOST_ROWS, parseTable, tableDataset, toCsv } from "./csv";
import { sets, storedDataset } from "./sets";

function load(text: string, task: Task = "binary"): Dataset {
  const table = parseTable(text);
  return tableDataset(table, likelyColumns(table, task), task, "table");
}

describe("tables that are right", () => {
  it.each([
    ["commas and a header", "height,width,kind\n1.5,2,a\n3,-4e-1,b\n"],
    ["semicolons", "height;width;kind\n1.5;2;a\n3;-0.4;b"],
    ["tabs and CRLF", "height\twidth\tkind\r\n1.5\t2\ta\r\n3\t-.4\tb\r\n"],
    ["blanks", "height width kind\n  1.5   2  a\n3 -0.4 b\n\n"],
    ["quotes", '"height","width","kind"\n"1.5","2","a"\n3,-0.4,"b"\n'],
    ["a byte order mark and comments", "\uFEFF# from the field\nheight,width,kind\n1.5,2,a\n3,-0.4,b"],
    ["the label first", "kind,height,width\na,1.5,2\nb,3,-0.4"],
    ["semicolons and decimal commas", "height;width;kind\r\n1,5;2;a\r\n3;-0,4;b\r\n"],
    ["a first column of row numbers", ",height,width,kind\n0,1.5,2,a\n1,3,-0.4,b\n"],
    ["a further column", "height,width,kind,day\n1.5,2,a,7\n3,-0.4,b,8"],
  ])("%s", (_, text) => {
    const data = load(text);
    expect([...data.rows.x]).toEqual([1.5, 2, 3, -0.4]);
    expect([...data.y]).toEqual([-1, 1]);
    expect(data.classes).toEqual(["a", "b"]);
    expect(data.features).toEqual(["height", "width"]);
  });

  it("without a header: the last column is the label, numbers in their order", () => {
    const data = load("1,2,10\n3,4,9\n5,6,10");
    expect(data.classes).toEqual(["9", "10"]);
    expect([...data.y]).toEqual([1, -1, 1]);
  });

  it("keeps commas and quotes inside quotes", () => {
    expect(load('a,b,label\n1,2,"x, ""y"""\n3,4,z').classes).toEqual(['x, "y"', "z"]);
  });

  it("takes y for a feature where another column is the label", () => {
    expect(load("x,y,label\n1,2,0\n3,4,1").features).toEqual(["x", "y"]);
    expect(load("x,y,colour\n1,2,red\n3,4,blue").features).toEqual(["x", "y"]);
    expect(load("x1,y,x2\n1,-1,2\n3,1,4").features).toEqual(["x1", "x2"]);
  });

  it("separates by what stands outside of quotes", () => {
    expect(load('"height, cm";"width, cm";kind\n1.5;2;a\n3;-0.4;b').features).toEqual(["height, cm", "width, cm"]);
  });

  it.each(Object.entries(sets))("%s comes back from its own CSV", (id, { task }) => {
    const data = storedDataset(id);
    const again = load(toCsv(data, task), task);
    expect(again.rows).toEqual(data.rows);
    const labels = ({ y, classes }: Dataset): (string | number)[] =>
      Array.from(y, (value) => (task === "regression" ? value : classes[task === "binary" ? Number(value > 0) : task === "one_class" ? 0 : value].replace("−", "-")));
    expect(labels(again)).toEqual(labels(data));
    if (task === "binary" && data.classes[0] === "−1") expect(again.y).toEqual(data.y);
  });
});

describe("tables that are wrong say what to do", () => {
  it.each([
    ["", "empty"],
    ["# nothing\n", "comments"],
    ["a,b,label\n1,2,x\n3,y\n", "Row 3 has 2 cells, the first row has 3"],
    ["a,b,label\n1,2,x\n3,4,x\n", 'All rows have the label "x"'],
    ["a,b,label\n1,2,x\nNaN,4,y\n", '"NaN" is not a finite number'],
    ["a,b,label\n1,2,x\n3,inf,y\n", '"inf" is not a finite number'],
    ["a,b,label\n1,,x\n3,4,y\n", "columns of numbers|column of numbers"],
    ["a,label\n1,x\n2,y\n", "the plane needs 2"],
    ["a,b,label\n1,2,x\n3,4,y\n5,6,z\n", "3 different labels"],
    ['a,b,label\n1,2,"x\n3,4,y\n', "never closed"],
  ])("%j", (text, message) => expect(() => load(text)).toThrow(new RegExp(message)));

  it("100,000 rows", () => {
    const rows = Array.from({ length: 100_000 }, (_, i) => `${i},${-i},${i % 2}`).join("\n");
    expect(() => parseTable(rows)).toThrow(`100,000 rows; the lab takes up to ${MOST_ROWS.toLocaleString("en")}`);
  });

  it("a label for each row", () => {
    const rows = Array.from({ length: 30 }, (_, i) => `${i},${-i},name ${i}`).join("\n");
    expect(() => load(rows, "multi_class")).toThrow("more than 8 different labels");
  });
});

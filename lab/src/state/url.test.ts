import { describe, expect, it } from "vitest";
import { sets, storedDataset } from "../data/sets";
import { dataset, moved, reweighted, type Task } from "./dataset";
import { decode, encode, MOST_ROWS_IN_ADDRESS, type Snapshot } from "./url";

const plain: Snapshot = {
  view: "margins",
  task: "binary",
  data: "clouds",
  parameters: {},
  show: {},
  note: {},
  theme: null,
  projector: false,
  embed: false,
  lesson: null,
};
/** The views of these tests are called as their tasks. */
const taskOf = (view: string): Task => (["regression", "one_class", "multi_class"] as const).find((task) => task === view) ?? "binary";
const round = (state: Snapshot): Snapshot => decode("#" + encode(state), taskOf);

describe("the address", () => {
  it("keeps parameters, notes and looks", () => {
    const state: Snapshot = {
      ...plain,
      parameters: { kernel: "rbf", formulation: "nu", nu: 0.37, gamma: 2.5, C: 1e-3 },
      show: { rings: false, slack: false },
      note: { step: "12", method: "smo & more" },
      theme: "dark",
      projector: true,
      embed: true,
      lesson: "1-widest",
    };
    expect(round(state)).toEqual(state);
  });

  it.each(Object.keys(sets))("keeps every coordinate of %s after an edit", (id) => {
    const { task } = sets[id];
    const data = moved(storedDataset(id), 0, 0.125, -0.3);
    const again = round({ ...plain, view: task, task, data }).data;
    expect(again).toEqual(data);
  });

  it("keeps weights and names with commas and umlauts", () => {
    const data = reweighted(
      dataset({ name: "Größe & Gewicht", features: ["Länge, cm", "b=c"], classes: ["ja", "nein"], points: [[0, 1], [2, 3e-7]], y: [-1, 1] }),
      1,
      2.5,
    );
    const again = round({ ...plain, data }).data;
    expect(again).toEqual({ ...data, features: ["Länge‚ cm", "b=c"] });
  });

  it("leaves out what cannot be understood", () => {
    const found = decode("#view=margins&C=abc&kernel=bogus&gamma=1e9&points=1,2,1;3,x,1&note&hide=all&formulation=x&%%%", taskOf);
    expect(found.data).toBeNull();
    expect(found.parameters).toEqual({ gamma: 1000 });
    expect(found.show).toEqual({});
    expect(decode("#points=1,2,0.5;1,2,1", taskOf).data).toBeNull();
    expect(decode("", taskOf)).toMatchObject({ view: "", data: null });
  });

  it("does not write more points than an address can hold", () => {
    const count = MOST_ROWS_IN_ADDRESS + 1;
    const points = Array.from({ length: count }, (_, i) => [i, -i]);
    const data = dataset({ name: "many", features: ["a", "b"], classes: ["−1", "+1"], points, y: points.map((_, i) => (i % 2 ? 1 : -1)) });
    expect(encode({ ...plain, data })).toBe("view=margins");
  });
});

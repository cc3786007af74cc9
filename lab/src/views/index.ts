// All views, in the order in which they are best read.
import type { Component } from "svelte";
import type { Task } from "../state/dataset";
import Margins from "./Margins.svelte";

export interface View {
  /** In the address: #view=margins. */
  readonly id: string;
  /** In the list at the side: one to three words. */
  readonly name: string;
  /** The heading: what it answers. */
  readonly question: string;
  readonly group: "Understand" | "Solve" | "Choose" | "Go further";
  readonly task: Task;
  /** Which controls stand above it besides the data. */
  readonly controls: readonly ("model" | "kernel" | "none")[];
  /** Stored set and parameters that a first visit begins with, if not those of the task. */
  readonly preset?: string;
  readonly component: Component;
}

export const views: readonly View[] = [
  {
    id: "margins",
    name: "Margin and forces",
    question: "Which points hold the boundary?",
    group: "Understand",
    task: "binary",
    controls: ["model", "kernel"],
    component: Margins,
  },
];

export const viewOf = (id: string): View => views.find((view) => view.id === id) ?? views[0];

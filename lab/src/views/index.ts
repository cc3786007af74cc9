// All views, in the order in which they are best read.
import type { Component } from "svelte";
import type { Task } from "../state/dataset";
import Generalisation from "./Generalisation.svelte";
import Hand from "./Hand.svelte";
import KernelViews from "./KernelViews.svelte";
import Margins from "./Margins.svelte";
import MultiClass from "./MultiClass.svelte";
import OneClass from "./OneClass.svelte";
import Probabilities from "./Probabilities.svelte";
import Race from "./Race.svelte";
import Regression from "./Regression.svelte";
import ScalingTrap from "./ScalingTrap.svelte";
import SolutionPath from "./SolutionPath.svelte";
import Steps from "./Steps.svelte";
import Weights from "./Weights.svelte";

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
  readonly controls: readonly ("model" | "C" | "kernel" | "none")[];
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
  {
    id: "hand",
    name: "Numbers by hand",
    question: "Can you check it with a pencil?",
    group: "Understand",
    task: "binary",
    controls: ["model", "kernel"],
    preset: "six",
    component: Hand,
  },
  {
    id: "path",
    name: "The path in C",
    question: "What happens as C, or ν, moves?",
    group: "Understand",
    task: "binary",
    controls: ["model", "kernel"],
    component: SolutionPath,
  },
  {
    id: "kernel",
    name: "Kernel",
    question: "What does the kernel see?",
    group: "Understand",
    task: "binary",
    controls: ["model", "kernel"],
    preset: "rings",
    component: KernelViews,
  },
  {
    id: "weights",
    name: "Weights",
    question: "What does it mean that a point counts twice?",
    group: "Understand",
    task: "binary",
    controls: ["model", "kernel"],
    component: Weights,
  },
  {
    id: "race",
    name: "The gap race",
    question: "How does a solver know that it is done?",
    group: "Solve",
    task: "binary",
    controls: ["C", "kernel"],
    component: Race,
  },
  {
    id: "steps",
    name: "Step by step",
    question: "Why does the solver do that?",
    group: "Solve",
    task: "binary",
    controls: ["C", "kernel"],
    component: Steps,
  },
  {
    id: "generalisation",
    name: "Generalisation",
    question: "Which C and γ are good for points not seen yet?",
    group: "Choose",
    task: "binary",
    controls: ["model", "kernel"],
    preset: "moons-200",
    component: Generalisation,
  },
  {
    id: "scaling",
    name: "Scaling trap",
    question: "Why must features be scaled?",
    group: "Choose",
    task: "binary",
    controls: ["model", "kernel"],
    preset: "moons",
    component: ScalingTrap,
  },
  {
    id: "probabilities",
    name: "Probabilities",
    question: "How sure is the machine?",
    group: "Choose",
    task: "binary",
    controls: ["model", "kernel"],
    preset: "moons-200",
    component: Probabilities,
  },
  {
    id: "regression",
    name: "Regression",
    question: "Which misses cost nothing?",
    group: "Go further",
    task: "regression",
    controls: ["model", "kernel"],
    component: Regression,
  },
  {
    id: "one-class",
    name: "One class",
    question: "Which points are strange?",
    group: "Go further",
    task: "one_class",
    controls: ["model", "kernel"],
    component: OneClass,
  },
  {
    id: "multi-class",
    name: "Several classes",
    question: "How do two-class machines choose between more?",
    group: "Go further",
    task: "multi_class",
    controls: ["model", "kernel"],
    component: MultiClass,
  },
];

export const viewOf = (id: string): View => views.find((view) => view.id === id) ?? views[0];

// A place in a lecture, and what the lab is set to there. A question is asked before the answer can be seen.
import type { Parameters } from "../state/parameters";

export interface Question {
  readonly ask: string;
  readonly options: readonly string[];
  /** Which option is right. */
  readonly answer: number;
  /** Why; shown after an answer was given. */
  readonly because: string;
}

export interface Lesson {
  readonly id: string;
  readonly lecture: string;
  readonly title: string;
  readonly view: string;
  readonly data: string;
  readonly parameters?: Partial<Parameters>;
  readonly note?: Readonly<Record<string, string>>;
  /** What to try. */
  readonly task: string;
  readonly question?: Question;
}

const FIRST = "1. Margins";
const SECOND = "2. Hyperplanes and kernels";
const THIRD = "3. Hinge and penalty";
const FOURTH = "4. From the perceptron";
const FIFTH = "5. Losses and subgradients";
const DUAL = "The dual";

export const lessons: readonly Lesson[] = [
  {
    id: "1-widest",
    lecture: FIRST,
    title: "The max-margin principle",
    view: "margins",
    data: "iris-setosa",
    parameters: { C: 1e6 },
    task: "Drag a flower far from the boundary: nothing happens. Then drag one on the dashed line.",
    question: {
      ask: "If you drag a flower that lies far outside of the margin a little, what does the boundary do?",
      options: ["It turns a little", "It stays exactly where it is", "It moves away from the flower"],
      answer: 1,
      because: "Its α is 0: w = Σ αᵢ yᵢ xᵢ does not contain it, as long as it stays outside of the margin.",
    },
  },
  {
    id: "1-stray",
    lecture: FIRST,
    title: "When no line separates",
    view: "margins",
    data: "iris-overlap",
    parameters: { C: 1 },
    task: "Raise C: the stray's slack costs more, and the margin narrows.",
    question: {
      ask: "One flower is on the wrong side whatever line is drawn. What happens to the margin as C grows?",
      options: ["It narrows", "It widens", "It does not depend on C"],
      answer: 0,
      because: "A larger C makes slack dearer than width: the machine gives up margin to make the slacks smaller.",
    },
  },
  {
    id: "1-subgradient",
    lecture: FIRST,
    title: "Subgradient descent",
    view: "steps",
    data: "iris-setosa",
    parameters: { C: 1 },
    note: { method: "subgradient" },
    task: "Play the steps, and watch the path bend where a flower crosses its margin.",
  },
  {
    id: "2-which",
    lecture: SECOND,
    title: "Which hyperplane?",
    view: "margins",
    data: "far-clouds",
    parameters: { C: 1000 },
    task: "Only a few points hold the widest road. Erase one of them.",
    question: {
      ask: "60 points in two dimensions, separable. How many of them can lie on the margin and hold it, if no two are special?",
      options: ["About half", "All that are nearest to the other class", "2 or 3"],
      answer: 2,
      because: "A line and its margin have three free numbers (w and b): three touching points fix them, sometimes two.",
    },
  },
  {
    id: "2-slack",
    lecture: SECOND,
    title: "Slack: the amount of violation",
    view: "margins",
    data: "slack",
    parameters: { C: 1 },
    task: "Point at the point with a stem: the stem is ξ / |w| long. Then drag it back to its own side, and watch ξ pass 1.",
    question: {
      ask: "A point has slack ξ = 1.8. Is it classified correctly?",
      options: ["Yes, it is only inside of the margin", "That depends on C", "No, it is on the wrong side"],
      answer: 2,
      because: "ξ = 1 − y f, so y f = −0.8 < 0: beyond the boundary. Up to ξ = 1 a point is inside of the margin and still right.",
    },
  },
  {
    id: "2-kernel",
    lecture: SECOND,
    title: "The kernel machine",
    view: "margins",
    data: "rings",
    parameters: { kernel: "rbf", gamma: 1, C: 1 },
    task: "Switch the kernel to linear and back; raise γ until every point has an island of its own.",
    question: {
      ask: "What does a much larger γ do to the number of support vectors?",
      options: ["Almost every point becomes one", "Fewer are needed", "Nothing, they depend on C alone"],
      answer: 0,
      because: "With narrow bumps no point can lean on its neighbours: each must hold the boundary around itself.",
    },
  },
  {
    id: "2-duality",
    lecture: SECOND,
    title: "Primal and dual",
    view: "race",
    data: "moons",
    parameters: { kernel: "rbf", gamma: 1, C: 1 },
    task: "The primal falls, the dual rises; their distance bounds what is left to gain.",
    question: {
      ask: "A solver stops with primal 10.2 and dual 10.0. How far from the optimum can its objective be?",
      options: ["Nobody knows the optimum, so nobody can say", "At most 0.2", "Exactly 0.2"],
      answer: 1,
      because: "The optimum lies between the two values. The gap is a proof, not an estimate.",
    },
  },
  {
    id: "3-c",
    lecture: THIRD,
    title: "What λ does",
    view: "path",
    data: "clouds",
    task: "λ = 1 / C. Follow the forces from C near 0 to a C so large that nothing changes any more.",
  },
  {
    id: "3-margin",
    lecture: THIRD,
    title: "The margin, and who determines it",
    view: "margins",
    data: "outlier",
    parameters: { C: 0.1 },
    task: "Raise C step by step: from a certain C on the outlier alone turns the boundary.",
    question: {
      ask: "One blue point lies among the orange ones. With a small C, how much can it turn the boundary?",
      options: ["As much as it likes: it is the worst point", "Not at all", "A little: its force is at most C"],
      answer: 2,
      because: "w = Σ αᵢ yᵢ xᵢ, and no α exceeds C: a single point's part in w is bounded, however wrong it is.",
    },
  },
  {
    id: "3-descent",
    lecture: THIRD,
    title: "Gradient descent for SVMs",
    view: "steps",
    data: "clouds",
    parameters: { C: 1 },
    note: { method: "subgradient" },
    task: "Try the step rules: a constant step circles around the optimum, a shrinking one arrives.",
    question: {
      ask: "Does every subgradient step lower the objective?",
      options: ["No, some steps raise it", "Yes, that is what descent means", "Only with a constant step size"],
      answer: 0,
      because: "A subgradient at a kink need not point uphill: what shrinks is the distance to the optimum, not every value.",
    },
  },
  {
    id: "4-perceptron",
    lecture: FOURTH,
    title: "The perceptron has no preference",
    view: "race",
    data: "perceptron",
    parameters: { C: 1 },
    note: { by: "passes" },
    task: "The perceptron stops at the first line that makes no mistake. The others go on to the widest margin.",
  },
  {
    id: "4-slack",
    lecture: FOURTH,
    title: "The support vector machine: bias and slack",
    view: "margins",
    data: "swapped",
    parameters: { C: 1 },
    note: { side: "primal" },
    task: "Lower C to 0.01: slack becomes cheap, and the road widens over both clouds.",
    question: {
      ask: "Two labels are swapped, far on the wrong sides. What does the machine with slack do?",
      options: ["It pays for the two and keeps a good line for the others", "It finds no solution", "It bends around them"],
      answer: 0,
      because: "Every line is allowed now; slack is paid for, at the price C. Two large slacks cost less than a bad line for 58 points.",
    },
  },
  {
    id: "4-name",
    lecture: FOURTH,
    title: "Why it has its name",
    view: "margins",
    data: "perceptron",
    parameters: { C: 1000 },
    task: "Erase all points without a ring: the boundary is the same.",
    question: {
      ask: "All points without a ring are removed, and the machine is fitted again. What changes?",
      options: ["The margin widens", "The boundary turns", "Nothing"],
      answer: 2,
      because: "Those points have α = 0; the conditions of the optimum hold without them as well.",
    },
  },
  {
    id: "5-four",
    lecture: FIFTH,
    title: "The margin itself: four points",
    view: "hand",
    data: "four",
    parameters: { C: 10 },
    note: { answer: "hidden" },
    task: "Find w and b by hand, then compare with the fractions.",
  },
  {
    id: "5-steps",
    lecture: FIFTH,
    title: "Subgradient descent and its step sizes",
    view: "steps",
    data: "clouds",
    parameters: { C: 1 },
    note: { method: "subgradient", schedule: "constant", size: "2" },
    task: "Compare s with s / √t and 1 / (λ t); then take the mean of the steps.",
    question: {
      ask: "With a constant step size, where does subgradient descent end up?",
      options: ["At the optimum, only later", "It runs away", "Near the optimum, at a distance that the step size sets"],
      answer: 2,
      because: "A subgradient does not shrink near a kink, so steps of one size keep jumping across it.",
    },
  },
  {
    id: "5-kernel",
    lecture: FIFTH,
    title: "Basis expansion as a kernel",
    view: "hand",
    data: "corners",
    parameters: { kernel: "poly", degree: 2, coef0: 1, gamma: 1, C: 1 },
    note: { answer: "hidden" },
    task: "No line separates XOR. With (1 + u'v)² the four forces are equal: which number is it?",
    question: {
      ask: "Four corners, kernel (1 + u'v)². K has 9 on its diagonal and 1 elsewhere. What is α of each?",
      options: ["1/2", "1/8", "1/9"],
      answer: 1,
      because: "By symmetry all α are equal and b = 0. For one corner y f = α (9 + 1 − 1 − 1) = 8 α, and y f = 1.",
    },
  },
  {
    id: "dual-smo",
    lecture: DUAL,
    title: "SMO by hand: six points",
    view: "steps",
    data: "six",
    parameters: { C: 1 },
    note: { method: "smo" },
    task: "Each step moves two α along a line that keeps Σ y α = 0, until the parabola's top or the box.",
    question: {
      ask: "Why does SMO move two variables at once, not one?",
      options: ["Two are faster than one", "One for each class", "Σ y α = 0 would not hold if only one moved"],
      answer: 2,
      because: "With the others fixed, the equality leaves a single α no freedom at all. Two are the fewest that can move.",
    },
  },
  {
    id: "dual-kkt",
    lecture: DUAL,
    title: "The conditions of Karush, Kuhn and Tucker",
    view: "margins",
    data: "clouds",
    parameters: { C: 1 },
    task: "Drag a point through its margin and watch its bar: empty, then growing on the margin, then full.",
    question: {
      ask: "A point has 0 < α < C. Where does it lie?",
      options: ["Exactly on its margin line", "Anywhere outside of the margin", "Inside of the margin"],
      answer: 0,
      because: "Complementary slackness: α > 0 asks for y f ≤ 1, and α < C for y f ≥ 1.",
    },
  },
];

export const lessonOf = (id: string): Lesson | undefined => lessons.find((lesson) => lesson.id === id);

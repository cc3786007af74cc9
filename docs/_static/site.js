// What a page does beyond being read. Without it everything is there but the judging of answers.

// Exercises: "3.5", "3,5", "7/2" and "35e-1" are one number.
function number(text) {
  const parts = text.trim().replace("−", "-").replace(",", ".").split("/").map(Number);
  if (!text.trim() || parts.length > 2) return NaN;
  return parts.length === 2 ? parts[0] / parts[1] : parts[0];
}

function verdict(guess, answer, within) {
  if (Number.isNaN(guess)) return ["", "Type a number, such as 0.25 or 1/4."];
  if (Math.abs(guess - answer) <= within * Math.abs(answer) + 1e-9) return ["right", "Right."];
  const about = answer !== 0 && Math.abs(guess / answer - 1) < 0.1 ? "Close, but " : "Not so: ";
  return ["wrong", about + (guess < answer ? "it is more." : "it is less.")];
}

for (const form of document.querySelectorAll("form.answer")) {
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const {answer, within} = form.dataset;
    const [kind, words] = verdict(number(form.querySelector("input").value), +answer, +within);
    const output = form.querySelector("output");
    output.className = kind;
    output.textContent = words;
  });
}

// Lectures: one button to see all code and all checks.
const folded = [...document.querySelectorAll("details.code, details.checks")];
if (folded.length) {
  const unfold = document.createElement("button");
  unfold.type = "button";
  unfold.className = "unfold";
  unfold.textContent = "Show all code";
  unfold.addEventListener("click", () => {
    const open = folded.some((part) => !part.open);
    for (const part of folded) part.open = open;
    unfold.textContent = open ? "Hide all code" : "Show all code";
  });
  document.querySelector("article h1")?.after(unfold);
}

// What scrolls by itself can be reached by the keyboard.
for (const part of document.querySelectorAll("article pre, article .pst-scrollable-table-container, article figure > img"))
  (part.localName === "img" ? part.parentElement : part).tabIndex = 0;

// What the theme leaves without words for screen readers.
for (const part of document.querySelectorAll("nav summary")) {
  const link = part.closest("li")?.querySelector("a");
  part.setAttribute("aria-label", `Pages below ${link?.textContent.trim() ?? "this one"}`);
}
for (const button of document.querySelectorAll(".search-button-field"))
  button.setAttribute("aria-label", button.textContent.replace(/\s+/g, " ").trim());

// On paper solutions are open.
addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details.solution")) part.open = true;
});

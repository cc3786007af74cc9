// What a page does beyond being read. Without it everything is there but the judging of answers.

// For the projector: one key, one section. Whoever types, or scrolls a wide block, is left alone.
addEventListener("keydown", (event) => {
  const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
  if (!step || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest("input, pre, .wide, .math")) return;
  const edge = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop);
  const heads = [...document.querySelectorAll("main h1, main h2, main h3")];
  const tops = heads.map((head) => head.getBoundingClientRect().top - edge);
  const next = step > 0 ? tops.findIndex((top) => top > 2) : tops.findLastIndex((top) => top < -2);
  if (next >= 0) heads[next].scrollIntoView({behavior: "instant"});
  event.preventDefault();
});

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

// Code: one button to see all of it, and one on each listing to copy it.
const unfold = document.querySelector("button.unfold");
unfold.addEventListener("click", () => {
  const folded = [...document.querySelectorAll("details.code, details.checks")];
  const open = folded.some((part) => !part.open);
  for (const part of folded) part.open = open;
  unfold.textContent = open ? "Hide all code" : "Show all code";
});
for (const listing of document.querySelectorAll("pre.code")) {
  const copy = document.createElement("button");
  copy.type = "button";
  copy.className = "copy";
  copy.textContent = "Copy";
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(listing.textContent);
    copy.textContent = "Copied";
  });
  listing.before(copy);
}

// Contents: mark the section that is being read.
const links = new Map(
  [...document.querySelectorAll("nav.contents a")].map((link) => [link.hash.slice(1), link]),
);
const seen = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const link of links.values()) link.removeAttribute("aria-current");
      const link = links.get(entry.target.id);
      link.setAttribute("aria-current", "true");
    }
  },
  {rootMargin: "0px 0px -70% 0px"},
);
for (const head of document.querySelectorAll("main h2")) if (links.has(head.id)) seen.observe(head);

// Where the bar of pages is longer than the screen: show this page's place in it.
const here = document.querySelector("nav.pages [aria-current]");
here.parentElement.scrollLeft = here.offsetLeft - here.parentElement.clientWidth / 2;

// On paper solutions are open.
addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details.solution")) part.open = true;
});

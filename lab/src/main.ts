import { mount } from "svelte";
import App from "./app/App.svelte";
import { openAddress, openInjected } from "./app/open";
import { shell } from "./app/shell.svelte";
import "./app/style.css";
import { loadEngine } from "./engine";
import { Remote } from "./engine/remote";
import { lab } from "./state/lab.svelte";

openAddress(location.hash);
const injected = document.getElementById("maxmargin-data");
if (injected && !/[#&](points|data|lesson)=/.test(location.hash)) shell.message = openInjected(injected.textContent ?? "") ?? "";

// A link to another state of this page, or the back button.
window.addEventListener("hashchange", () => {
  const hash = location.hash.slice(1);
  if (hash !== shell.written && hash !== decodeURI(shell.written)) openAddress(hash);
});

mount(App, { target: document.getElementById("app")! });

loadEngine().then(
  (engine) => {
    lab.engine = engine;
    lab.remote = new Remote(engine.module);
  },
  (error: unknown) => {
    shell.message = `The core could not be started: ${error instanceof Error ? error.message : String(error)}. The lab needs a browser with WebAssembly SIMD (all since 2023).`;
  },
);

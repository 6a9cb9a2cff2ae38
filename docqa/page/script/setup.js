// What is being installed while the server serves, and which language model this machine could run.
import { $, coded, make } from "./dom.js";
import { word } from "./words.js";

const PAUSE = 2000; // milliseconds between two looks
let watching = false;

// Look until nothing is worked on any more; `onInstalled` is called whenever a part has come.
export async function watchSetup(onInstalled) {
  if (watching) return;
  watching = true;
  try {
    for (let before = 0; ; ) {
      const { installing, proposal } = await (await fetch("/healthz")).json();
      const working = installing.filter((step) => step.state === "running" || step.state === "waiting").length;
      $("steps").replaceChildren(...installing.filter((step) => step.state !== "done").map(stepLine));
      $("proposal").replaceChildren(...coded(proposal));
      $("setup").hidden = !(installing.length || proposal);
      if (working < before) onInstalled();
      if (!working) return;
      before = working;
      await new Promise((resume) => setTimeout(resume, PAUSE));
    }
  } finally {
    watching = false;
  }
}

function stepLine({ what, state, percent, message }) {
  if (state === "failed") return make("li", { className: "fault" }, word("notInstalled", { what, message }));
  if (state === "waiting") return make("li", { className: "hint" }, word("installedNext", { what }));
  const bar = make("progress", { max: 100, value: percent, ariaLabel: what });
  return make("li", {}, word("installs", { what }), bar, make("small", {}, word("meanwhile", { percent, message })));
}

// Settings: which provider keys are set, and what the remote targets say when they are asked.
import { button, make } from "./dom.js";
import { table } from "./tables.js";
import { call } from "./server.js";
import { word } from "./words.js";

export function providersContent({ keys, targets }) {
  const keyRows = keys.map(({ provider, variable, is_set: set }) => [provider, make("code", {}, variable), word(set ? "keySet" : "keyNotSet")]);
  const content = [table(["provider", "variable", "state"], keyRows), make("p", { className: "hint" }, word("keysHow"))];
  if (!targets.length) return [...content, make("p", { className: "hint" }, word("noTargets"))];
  const states = new Map(targets.map(({ target, obstacle }) => [target, make("span", { role: "status" }, obstacle || word("notAsked"))]));
  const rows = targets.map(({ target, names }) => [make("code", {}, target), names.join(", ") || word("use_search"), states.get(target)]);
  const ask = button(word("askTargets"), async () => {
    for (const { target, obstacle } of targets) if (!obstacle) states.get(target).textContent = word("isAsked");
    for (const { target, works, message, seconds } of await call("POST", "/v1/api/machine/providers/test")) {
      states.get(target).textContent = works ? word("targetSaid", { answer: message, seconds: seconds.toFixed(1) }) : message;
      states.get(target).className = works ? "" : "fault";
    }
  });
  return [...content, table(["target", "answersFor", "state"], rows), make("p", { className: "hint" }, word("askTargetsHint")), ask];
}

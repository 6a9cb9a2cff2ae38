// Settings: the models of the machine; which are here, which suit it, and what they say when they are tried.
import { button, make } from "./dom.js";
import { bytes, pathOf, pulling } from "./pulls.js";
import { call } from "./server.js";
import { languageNames, word } from "./words.js";

// The section's content; `onChange` is called when a model has come or gone.
export function machineContent({ memory, cores, may_change: mayChange, models }, onChange) {
  const list = (shown) => make("ul", { className: "models" }, ...shown.map((model) => line(model, mayChange, onChange)));
  const here = models.filter(({ present }) => present);
  const fitting = models.filter(({ present, fits, download }) => !present && (fits || download));
  const larger = models.filter((model) => !here.includes(model) && !fitting.includes(model));
  const content = [make("h4", {}, word("modelsHere")), here.length ? list(here) : make("p", { className: "hint" }, word("noModels"))];
  if (fitting.length) content.push(make("h4", {}, word("modelsFit", { memory: bytes(memory), cores })), list(fitting));
  if (larger.length) content.push(make("details", {}, make("summary", {}, word("modelsLarger")), list(larger)));
  if (!mayChange) content.push(make("p", { className: "hint" }, word("notYours")));
  return content;
}

function line(model, mayChange, onChange) {
  const { name, proposed, present, at_next_start: next, model_name: called } = model;
  const said = [word(`use_${model.use}`), word("takes", { size: bytes(model.size), memory: bytes(model.memory) }), languages(model), model.licence];
  const notes = [present && called && word("calledInChats", { name: called }), next && word("atNextStart"), !present && proposed && word("proposed"), model.state.startsWith("failed") && model.state];
  const about = make("div", {}, make("strong", {}, name), make("small", {}, [...said, ...notes.filter(Boolean)].join(" · ")));
  const result = make("div", { className: "result", role: "status" });
  const actions = make("div", { className: "row wrap" });
  if (mayChange && present) {
    if (model.use === "answers") actions.append(button(word("tryModel"), () => tryOut(model, result), { ariaLabel: word("tryModelOf", { name }) }));
    actions.append(button(word("remove"), async () => {
      if (!confirm(word("removeSure", { name, size: bytes(model.size) }))) return;
      await call("DELETE", pathOf(model));
      await onChange();
    }, { ariaLabel: word("removeOf", { name }) }));
  } else if (mayChange) actions.append(pulling(model, onChange));
  return make("li", {}, about, actions, result);
}

function languages({ languages: codes }) {
  if (!codes.length) return word("manyLanguages");
  return codes.length > 4 ? word("countedLanguages", { count: codes.length }) : codes.map((code) => languageNames.of(code)).join(", ");
}

async function tryOut(model, result) {
  result.replaceChildren(make("small", {}, word("trying")));
  try {
    const said = await call("POST", `${pathOf(model)}/test`);
    const figures = { load: said.load_seconds.toFixed(1), first: said.first_seconds.toFixed(1), speed: said.tokens_per_second.toFixed(0) };
    result.replaceChildren(make("small", {}, said.question), make("blockquote", { dir: "auto" }, said.answer), make("small", {}, word("tried", figures)));
  } catch (error) {
    result.replaceChildren(make("small", { className: "fault" }, error.message));
  }
}

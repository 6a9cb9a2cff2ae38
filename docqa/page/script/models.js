// Which models can be chosen, who wrote an answer, in words for people, and which model would answer better.
import { $, make, option } from "./dom.js";
import { bytes, machineModels, pulling } from "./pulls.js";
import { call } from "./server.js";
import { word } from "./words.js";

const PLACES = ["local", "compatible", "openai", "anthropic", "google", "none"];

export function offer(models) {
  const selected = $("model").value || localStorage.getItem("option:model");
  const providers = [...new Set(models.map((model) => model.model_provider_name))];
  const of = (provider) => models.filter((model) => model.model_provider_name === provider);
  const options = (provider) => of(provider).map(({ name }) => option(name, name === "QUOTES" ? word("quotes") : name));
  const none = models.find(({ name }) => name === "QUOTES")?.model_provider_name;
  const label = (provider) => (provider === none ? word("place_quotes") : target(provider) || place(provider)).replace(/^./, (first) => first.toUpperCase());
  $("model").replaceChildren(...providers.map((provider) => make("optgroup", { label: label(provider) }, ...options(provider))));
  if (models.some((model) => model.name === selected)) $("model").value = selected;
  const written = providers.some((provider) => provider !== none);
  $("advice").hidden = written;
  $("advice").textContent = written ? "" : word("adviceModel");
}

// A model has come or gone: what can be chosen, and what is proposed above, is asked for anew.
export async function changed() {
  offer(await call("GET", "/v1/api/models"));
  document.dispatchEvent(new Event("visibilitychange"));
}

// What wrote an answer, as the header X-DocQA-Target names it; nothing where no model was needed.
export function writer(name) {
  if (name === "quotes") return word("byQuotes");
  return target(name ?? "") && word("byModel", { model: target(name) });
}

// A target such as local:qwen3-4b for people; nothing for any other word.
function target(name) {
  const [kind, ...rest] = name.split(":");
  return rest.length && PLACES.includes(kind) ? `${rest.join(":").split("#").pop()} (${place(kind)})` : "";
}

function place(kind) {
  return PLACES.includes(kind) ? word(`place_${kind}`) : kind;
}

// Below an answer that gains by a language model: the one that suits the machine, a click away. Nothing where there is
// none to be had, or this key may not add it.
export async function betterModel() {
  const { better, may_change: mayChange, models } = await machineModels();
  const model = models.find(({ name }) => name === better);
  if (!model || !mayChange) return [];
  for (const earlier of document.querySelectorAll(".better")) earlier.remove();
  const node = make("div", { className: "better row wrap" });
  node.append(make("span", {}, word("betterWith", { name: model.name, size: bytes(model.size) })), pulling(model, async ({ name, model_name: called }) => {
    await changed();
    $("model").value = called;
    $("model").dispatchEvent(new Event("change"));
    node.replaceChildren(word("modelAdded", { name }));
  }, "add"));
  return [node];
}

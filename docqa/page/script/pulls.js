// Models that are downloaded to the machine: a button, how far it is, a way to end it, and why it failed.
import { attempt, button, make } from "./dom.js";
import { call } from "./server.js";
import { language, word } from "./words.js";

const PAUSE = 1000; // milliseconds between two looks
const PATH = "/v1/api/machine/models";

export const machineModels = () => call("GET", PATH);
export const pathOf = ({ name }) => `${PATH}/${encodeURIComponent(name)}`;

// Bytes for people, in the units of their disk's vendor.
export function bytes(count) {
  const [size, unit] = count >= 1e9 ? [count / 1e9, "gigabyte"] : count >= 1e6 ? [count / 1e6, "megabyte"] : count >= 1e3 ? [count / 1e3, "kilobyte"] : [count, "byte"];
  return size.toLocaleString(language, { style: "unit", unit, maximumFractionDigits: unit === "gigabyte" ? 1 : 0 });
}

// The download of a model, from the button that begins it, with the word of `label`, to its end, when `onDone` is called.
export function pulling(model, onDone, label = "pull") {
  const node = make("div", { className: "pull" });
  const add = (key) => button(word(key), () => begin(model, node, onDone, label), { ariaLabel: word("pullOf", { name: model.name, size: bytes(model.size) }) });
  const { download } = model;
  if (download?.state === "running") follow(model, node, onDone, label);
  else if (download) node.append(make("small", { className: "fault" }, download.message), add("again"));
  else node.append(add(label));
  return node;
}

async function begin(model, node, onDone, label) {
  await call("POST", `${pathOf(model)}/download`);
  follow({ ...model, download: { state: "running", percent: 0, message: "" } }, node, onDone, label);
}

// Look how far it is as long as somebody sees it.
function follow(model, node, onDone, label) {
  const bar = make("progress", { max: 100, ariaLabel: model.name }), how = make("small");
  let ended = false;
  const cancel = button(word("cancel"), async () => {
    ended = true;
    await call("DELETE", `${pathOf(model)}/download`);
    node.replaceWith(pulling({ ...model, download: null }, onDone, label));
  }, { ariaLabel: word("cancelOf", { name: model.name }) });
  const show = ({ percent, message }) => {
    bar.value = percent;
    how.textContent = word("pulled", { percent });
    bar.title = message;
  };
  node.replaceChildren(bar, how, cancel);
  show(model.download);
  const look = async () => {
    if (ended || !node.isConnected) return;
    const now = (await machineModels()).models.find(({ name }) => name === model.name);
    if (ended) return;
    if (now.download?.state === "running") {
      show(now.download);
      setTimeout(() => attempt(look), PAUSE);
    } else if (now.present) await onDone(now);
    else node.replaceWith(pulling(now, onDone, label));
  };
  setTimeout(() => attempt(look), PAUSE);
}

// Settings: keys, the models that answer and those of the machine, and the state of the server.
import { $, askName, button, make } from "./dom.js";
import { machineContent } from "./machine.js";
import { offer } from "./models.js";
import { machineModels } from "./pulls.js";
import { call, currentKey } from "./server.js";
import { word } from "./words.js";

export async function open() {
  const [keys, models, machine, health] = await Promise.all([call("GET", "/v1/api/keys"), call("GET", "/v1/api/models"), machineModels(), call("GET", "/healthz")]);
  $("settings-body").replaceChildren(keySection(keys), snippetSection(), modelSection(models, health), machineSection(machine), serverSection(health));
  if (!$("settings").open) $("settings").showModal();
}

function section(title, ...content) {
  return make("section", {}, make("h3", {}, word(title)), ...content);
}

function table(headings, rows) {
  const head = make("tr", {}, ...headings.map((heading) => make("th", { scope: "col" }, heading && word(heading))));
  const body = rows.map((cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, cell))));
  return make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
}

const time = (text) => text ? new Date(text).toLocaleString() : word("never");

function keySection(keys) {
  const create = button(word("makeKey"), async () => {
    const name = await askName(word("keyName"));
    if (!name) return;
    const { key } = await call("POST", "/v1/api/keys", { name });
    await open();
    $("settings-body").querySelector("section").append(make("p", {}, word("keyOnce")), make("pre", { id: "new-key", tabIndex: 0 }, key));
  });
  const valid = keys.filter(({ revoked }) => !revoked);
  const rows = valid.map((key) => [key.name, time(key.created), time(key.last_used), make("div", { className: "row" }, ...actions(key))]);
  return section("keys", table(["keyName", "created", "lastUsed", ""], rows), create);
}

function actions({ key_id, name, is_current }) {
  const rename = button(word("rename"), async () => {
    const given = await askName(word("newName", { name }), name);
    if (!given) return;
    await call("PUT", `/v1/api/keys/${key_id}`, { name: given });
    await open();
  }, { ariaLabel: word("renameOf", { name }) });
  if (is_current) return [rename, make("small", {}, word("thisKey"))];
  const revoke = button(word("revoke"), async () => {
    await call("DELETE", `/v1/api/keys/${key_id}`);
    await open();
  }, { ariaLabel: word("revokeOf", { name }) });
  return [rename, revoke];
}

function snippetSection() {
  const { origin } = location;
  const curl = `curl -H "x-api-key: YOUR-KEY" ${origin}/v1/api/documents`;
  const python = `import httpx\n\nclient = httpx.Client(base_url="${origin}", headers={"x-api-key": "YOUR-KEY"})\nprint(client.get("/v1/api/documents").json())`;
  const script = `const response = await fetch("${origin}/v1/api/documents", { headers: { "x-api-key": "YOUR-KEY" } });\nconsole.log(await response.json());`;
  const samples = [["curl", curl], ["Python", python], ["JavaScript", script]];
  const blocks = samples.flatMap(([name, text]) => [
    make("div", { className: "row" }, make("strong", {}, name), button(word("copyWithKey"), () => navigator.clipboard.writeText(text.replace("YOUR-KEY", currentKey())))),
    make("pre", { tabIndex: 0 }, text),
  ]);
  return section("programs", ...blocks);
}

function modelSection(models, health) {
  const rows = models.map((model) => [model.name, model.model_provider_name, health.local_models[model.name] ?? ""]);
  return section("models", table(["model", "answeredBy", "state"], rows));
}

function machineSection(machine) {
  const node = section("machineModels");
  const title = [...node.children];
  const show = (now) => node.replaceChildren(...title, ...machineContent(now, async () => {
    show(await machineModels());
    offer(await call("GET", "/v1/api/models"));
  }));
  show(machine);
  return node;
}

function serverSection(health) {
  const rows = [
    [word("version"), health.version],
    [word("vectors"), health.embedding],
    [word("recognition"), health.ocr.join(", ")],
    [word("inWork"), String(health.indexing)],
  ];
  return section("server", table(["", ""], rows), ...health.notes.map((note) => make("p", { className: "hint" }, note)));
}

// Settings: keys, the models that answer, the server, and what other parts show of the machine.
import { $, askName, button, coded, make } from "./dom.js";
import { machineContent } from "./machine.js";
import { changed } from "./models.js";
import { providersContent } from "./providers.js";
import { machineModels } from "./pulls.js";
import { call, currentKey } from "./server.js";
import { table } from "./tables.js";
import { doctorContent, recognitionContent, storageContent } from "./upkeep.js";
import { word } from "./words.js";

export async function open() {
  const [keys, models, machine, health, own] = await Promise.all([call("GET", "/v1/api/keys"), call("GET", "/v1/api/models"), machineModels(), call("GET", "/healthz"), call("GET", "/v1/api/storage")]);
  const paths = machine.may_change ? ["providers", "recognition", "storage"] : []; // of the machine, not of an account
  const [providers, recognition, disk] = await Promise.all(paths.map((path) => call("GET", `/v1/api/machine/${path}`)));
  const sections = [keySection(keys), snippetSection(), modelSection(models, health), machineSection(machine), section("storage", ...storageContent(own, disk))];
  if (machine.may_change) sections.push(section("providers", ...providersContent(providers)), section("recognition", ...recognitionContent(recognition)), section("doctor", ...doctorContent()));
  sections.push(serverSection(health));
  $("settings-body").replaceChildren(contents(sections), ...sections);
  if (!$("settings").open) $("settings").showModal();
}

// A button for each section: links would be taken for places in documents.
function contents(sections) {
  const jump = (node) => button(node.firstChild.textContent, async () => {
    node.scrollIntoView({ block: "start" });
    node.firstChild.focus();
  });
  return make("nav", { className: "row wrap", ariaLabel: word("settings") }, ...sections.map(jump));
}

function section(title, ...content) {
  return make("section", {}, make("h3", { tabIndex: -1 }, word(title)), ...content);
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
  const rows = valid.map((key) => [key.name, time(key.created), time(key.last_used), make("div", { className: "row wrap" }, ...actions(key))]);
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
    await changed();
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
  return section("server", table(["", ""], rows), ...health.notes.map((note) => make("p", { className: "hint" }, ...coded(note))));
}

// The API's reference, made of /openapi.json: what each operation takes and answers, and a form that tries it.
import { $, attempt, make, say, when } from "./dom.js";
import { currentKey, rememberedKey, useKey } from "./server.js";
import { fill, word } from "./words.js";

const METHODS = ["get", "post", "put", "patch", "delete"];
const SHOWN = 20_000; // characters of an answer
let api;

const resolved = (schema) => schema?.$ref ? api.components.schemas[schema.$ref.split("/").pop()] : schema ?? {};

// A value that a schema allows, to begin with.
function example(given, depth = 0) {
  const schema = resolved(given);
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return example(choices[0], depth);
  if (schema.type === "array") return depth > 3 ? [] : [example(schema.items, depth + 1)];
  if (schema.type === "object") return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, of]) => [name, example(of, depth + 1)]));
  return { string: "", integer: schema.minimum ?? 0, number: schema.minimum ?? 0, boolean: false }[schema.type] ?? null;
}

function kind(given) {
  const schema = resolved(given);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map(kind).join(` ${word("or")} `);
  if (schema.enum) return schema.enum.join(", ");
  if (schema.type === "array") return word("listOf", { kind: kind(schema.items) });
  if (schema.type === "object") return given?.$ref?.split("/").pop() ?? "object";
  const bounds = [schema.minimum, schema.maximum].some((bound) => bound !== undefined) ? ` ${schema.minimum ?? ""}–${schema.maximum ?? ""}` : "";
  return schema.type + bounds;
}

function operation(path, method, described) {
  const body = described.requestBody?.content ?? {};
  const node = make("details", { className: "operation", data: { text: `${method} ${path} ${described.summary}`.toLowerCase() } },
    make("summary", {}, make("code", {}, `${method.toUpperCase()} ${path}`), " ", described.summary));
  node.addEventListener("toggle", () => {
    if (node.children.length > 1) return; // its parts are made when it is first opened
    node.append(...[takes(described.parameters), form(path, method, described, body), answers(described.responses)].filter(Boolean));
  });
  return node;
}

function takes(parameters) {
  if (!parameters.length) return null;
  const rows = parameters.map(({ name, in: where, required, schema, description = "" }) => make("tr", {},
    make("td", {}, make("code", {}, name)), make("td", {}, word(`in_${where}`) + (required ? `, ${word("required")}` : "")),
    make("td", {}, kind(schema)), make("td", {}, description)));
  return make("table", {}, make("tbody", {}, ...rows));
}

function answers(responses) {
  const lines = Object.entries(responses).map(([status, { description, content = {} }]) => {
    const shape = content["application/json"] && JSON.stringify(example(content["application/json"].schema), null, 2);
    const types = Object.keys(content).join(", ");
    return make("details", {}, make("summary", {}, `${status} ${description} ${types}`), ...(shape ? [make("pre", { tabIndex: 0 }, shape)] : []));
  });
  return make("div", {}, make("h3", {}, word("answers")), ...lines);
}

function form(path, method, described, body) {
  const inputs = described.parameters.map(({ name, in: where, required, schema }) => {
    const input = make("input", { name, required, placeholder: String(resolved(schema).default ?? "") });
    input.dataset.where = where;
    return make("label", {}, make("code", {}, name), input);
  });
  const json = body["application/json"] && make("textarea", { rows: 8, ariaLabel: word("body"), value: JSON.stringify(example(body["application/json"].schema), null, 2) });
  const file = body["multipart/form-data"] && make("input", { type: "file", ariaLabel: word("file"), required: true });
  const shown = make("pre", { tabIndex: 0, hidden: true });
  const node = make("form", {}, ...inputs, ...[json, file].filter(Boolean), make("button", {}, word("tryIt")), shown);
  node.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(() => send(node, path, method, json, file, shown));
  });
  return node;
}

async function send(node, path, method, json, file, shown) {
  const query = new URLSearchParams();
  let url = path;
  for (const { name, value, dataset } of node.querySelectorAll("input[name]")) {
    if (dataset.where === "path") url = url.replace(`{${name}}`, encodeURIComponent(value));
    else if (dataset.where === "query" && value) query.set(name, value);
  }
  const options = { method: method.toUpperCase(), headers: { "x-api-key": currentKey() } };
  if (json) Object.assign(options, { body: json.value, headers: { ...options.headers, "Content-Type": "application/json" } });
  if (file) {
    options.body = new FormData();
    options.body.append("file", file.files[0]);
  }
  const response = await fetch(`${url}${`${query}` && `?${query}`}`, options);
  const type = response.headers.get("Content-Type") ?? "";
  const text = /json|text/.test(type) ? await response.text() : word("bytes", { type, count: (await response.arrayBuffer()).byteLength });
  shown.hidden = false;
  shown.textContent = `${response.status} ${response.statusText}\n\n${pretty(type, text).slice(0, SHOWN)}`;
}

function pretty(type, text) {
  return type.includes("json") ? JSON.stringify(JSON.parse(text), null, 2) : text;
}

function find() {
  const words = $("find").value.toLowerCase().split(/\s+/);
  for (const node of document.querySelectorAll(".operation")) node.hidden = !words.every((part) => node.dataset.text.includes(part));
}

fill();
api = await (await fetch("/openapi.json")).json();
const tags = new Map();
for (const [path, methods] of Object.entries(api.paths)) for (const method of METHODS) {
  if (!methods[method]) continue;
  const [tag] = methods[method].tags;
  tags.set(tag, [...(tags.get(tag) ?? []), operation(path, method, methods[method])]);
}
$("operations").append(...[...tags].map(([tag, operations]) => make("section", {}, make("h2", {}, tag), ...operations)));
$("find").addEventListener("input", find);
when("enter", "submit", async () => { useKey($("key").value.trim()); say(word("keyUsed")); });
const known = await rememberedKey();
if (known) useKey(known); // one that was typed meanwhile stays
$("enter").hidden = Boolean(known);

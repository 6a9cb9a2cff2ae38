// Knowledge bases: named groups of documents, chosen above the list, made of what is checked.
import { $, askName, later, option } from "./dom.js";
import { chosen, draw, list as listDocuments } from "./library.js";
import { call, send } from "./server.js";
import { word } from "./words.js";

const known = new Map(); // id → { id, name, members: Set of doc_id }

export const current = () => known.get($("base").value);
const idsOf = (base) => [...base.members];

// `select` is the one to show; without it the one stays that is shown when the answer comes.
export async function list(select) {
  const path = (page) => `/v1/api/knowledge?page_size=100&page=${page}`;
  const first = await call("GET", path(1));
  const further = Array.from({ length: Math.max(0, first.total_pages - 1) }, (_, index) => call("GET", path(index + 2)));
  const pages = [first, ...(await Promise.all(further))];
  known.clear(); // only now: what is asked meanwhile is answered by what was known
  for (const { knowledge_bases } of pages) for (const base of knowledge_bases) {
    const members = new Set(base.document_details.map(({ doc_id }) => doc_id));
    known.set(base.knowledge_base_id, { id: base.knowledge_base_id, name: base.name, members });
  }
  const shown = select ?? $("base").value;
  $("base").replaceChildren(option("", word("allDocuments")), ...[...known.values()].map(({ id, name }) => option(id, name)));
  $("base").value = known.has(shown) ? shown : "";
  showActions();
}

export function show(id) {
  $("base").value = known.has(id) ? id : "";
  changed();
}

export function changed() {
  chosen.clear(); // the knowledge base as a whole is asked
  showActions();
  draw();
}

function showActions() {
  for (const id of ["base-part", "base-rename", "base-delete"]) $(id).hidden = !current();
  $("base-into").hidden = Boolean(current()) || !known.size;
  $("base-into").replaceChildren(option("", word("baseInto")), ...[...known.values()].map(({ id, name }) => option(id, name)));
}

export async function create() {
  const documents = checked();
  const name = await askName(word("baseName"));
  if (!name) return;
  const { knowledge_base_id } = await call("POST", "/v1/api/knowledge", { name, document_ids: documents });
  await list(knowledge_base_id);
  changed();
}

// Add what is checked to the knowledge base that is chosen beside it.
export async function join() {
  const base = known.get($("base-into").value);
  $("base-into").value = "";
  if (base) await put(base, [...idsOf(base), ...checked()], base.name);
}

export async function part() {
  const base = current(), leaving = new Set(checked());
  await put(base, idsOf(base).filter((doc_id) => !leaving.has(doc_id)), base.name);
}

// Documents that were added while a knowledge base is shown become members of it.
export async function take(doc_ids) {
  if (current()) await put(current(), [...idsOf(current()), ...doc_ids], current().name);
}

export async function rename() {
  const base = current(), name = await askName(word("newName", { name: base.name }), base.name);
  if (name) await put(base, idsOf(base), name);
}

export function discard() {
  const base = current();
  known.delete(base.id);
  $("base").querySelector(`[value="${base.id}"]`).remove();
  $("base").value = "";
  changed();
  later(word("deleted", { name: base.name }), async () => {
    await send("DELETE", `/v1/api/knowledge/${base.id}`, { keepalive: true });
  }, async () => {
    await list(base.id);
    changed();
  });
}

async function put(base, document_ids, name) {
  await call("PUT", `/v1/api/knowledge/${base.id}`, { name, document_ids });
  await listDocuments();
}

function checked() {
  if (!chosen.size) throw new Error(word("checkFirst"));
  return [...chosen];
}

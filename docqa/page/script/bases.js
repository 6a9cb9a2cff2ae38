// Knowledge bases: named groups of documents, chosen above the list, made of what is checked, or shared by somebody else.
import { $, askName, attempt, later, option } from "./dom.js";
import { chosen, draw, list as listDocuments, listShared } from "./library.js";
import { call, send } from "./server.js";
import { word } from "./words.js";

const known = new Map(); // id → { id, name, access, members: doc_id → name }

export const current = () => known.get($("base").value);
export const isOwn = (base) => base?.access === "own";
export const nameIn = (doc_id) => [...known.values()].find(({ members }) => members.has(doc_id))?.members.get(doc_id);
const idsOf = (base) => [...base.members.keys()];

// `select` is the one to show; without it the one stays that is shown when the answer comes.
export async function list(select) {
  const path = (page) => `/v1/api/knowledge?page_size=100&page=${page}`;
  const first = await call("GET", path(1));
  const further = Array.from({ length: Math.max(0, first.total_pages - 1) }, (_, index) => call("GET", path(index + 2)));
  const pages = [first, ...(await Promise.all(further))];
  known.clear(); // only now: what is asked meanwhile is answered by what was known
  for (const { knowledge_bases } of pages) for (const base of knowledge_bases) {
    const members = new Map(base.document_details.map(({ doc_id, name }) => [doc_id, name]));
    known.set(base.knowledge_base_id, { id: base.knowledge_base_id, name: base.name, access: base.access, members });
  }
  const shown = select ?? $("base").value;
  $("base").replaceChildren(option("", word("allDocuments")), ...[...known.values()].map((base) => option(base.id, isOwn(base) ? base.name : word("sharedBase", base))));
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
  attempt(listShared);
}

function showActions() {
  const own = [...known.values()].filter(isOwn);
  for (const id of ["base-part", "base-rename", "base-share"]) $(id).hidden = !isOwn(current());
  $("base-make").hidden = Boolean(current()) && !isOwn(current());
  $("base-delete").hidden = !current();
  $("base-save").hidden = !current() || current().access === "read";
  $("base-delete").textContent = word(!current() || isOwn(current()) ? "delete" : "giveBack");
  $("base-into").hidden = Boolean(current()) || !own.length;
  $("base-into").replaceChildren(option("", word("baseInto")), ...own.map(({ id, name }) => option(id, name)));
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

// Documents that were added while a knowledge base is shown become members of it; one of somebody else gives way to them.
export async function take(doc_ids) {
  if (isOwn(current())) return put(current(), [...idsOf(current()), ...doc_ids], current().name);
  $("base").value = "";
  showActions();
  draw();
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
  later(word(isOwn(base) ? "deleted" : "givenBack", { name: base.name }), async () => {
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

// The documents: listed, searched, filtered, chosen to be asked, renamed and deleted.
import * as bases from "./bases.js";
import { $, askName, button, later, make, option, save } from "./dom.js";
import { call, send } from "./server.js";
import { offer, suggestions } from "./suggestions.js";
import { counted, languageNames, word } from "./words.js";

const PAGES = 10; // of a hundred documents each: so many are there to be searched at once
export const chosen = new Set(); // doc_id of the documents to ask
const known = new Map(); // doc_id → document
const hidden = new Set(); // doc_id of what was deleted and may be taken back
let listed = PAGES;

export const nameOf = (doc_id) => known.get(doc_id)?.name ?? word("deletedDocument");
export const pagesOf = (doc_id) => known.get(doc_id)?.pages ?? 1;

export async function list(added = []) {
  const path = (page) => `/v1/api/documents?page_size=100&page=${page}`;
  const first = await call("GET", path(1));
  const further = Array.from({ length: Math.min(listed, first.total_pages) - 1 }, (_, index) => call("GET", path(index + 2)));
  const pages = [first, ...(await Promise.all(further))];
  known.clear();
  for (const page of pages) for (const one of page.documents) known.set(one.doc_id, one);
  $("older").hidden = listed >= first.total_pages;
  for (const doc_id of chosen) if (!known.has(doc_id)) chosen.delete(doc_id);
  if (added.length) choose(added); // what was just added is what will be asked
  await bases.list();
  if (!chosen.size && known.size && !bases.current()) choose([known.keys().next().value]);
  offerFilters();
  draw();
  // The summary comes last: a document without one is still worked on.
  for (const one of known.values()) if (!one.summary || added.includes(one.doc_id)) watch(one);
}

export function older() {
  listed += PAGES;
  return list();
}

export function choose(doc_ids) {
  chosen.clear();
  doc_ids.filter((doc_id) => known.has(doc_id)).forEach((doc_id) => chosen.add(doc_id));
}

export function forgetAll() {
  chosen.clear();
  known.clear();
  $("documents").replaceChildren();
  offer("");
}

function offerFilters() {
  const kinds = [...new Set([...known.values()].map(kindOf))].sort();
  const languages = [...new Set([...known.values()].map((one) => one.language))].filter(Boolean).sort();
  refill($("kind"), "allKinds", kinds.map((kind) => option(kind, kind.toUpperCase())));
  refill($("language"), "allLanguages", languages.map((language) => option(language, languageNames.of(language))));
}

function refill(select, all, options) {
  const before = select.value;
  select.replaceChildren(option("", word(all)), ...options);
  if (options.some(({ value }) => value === before)) select.value = before;
}

const kindOf = ({ name }) => name.match(/\.([^./\\ ]{1,5})$/)?.[1].toLowerCase() ?? "web";

function shown() {
  const words = $("find").value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const members = bases.current()?.members;
  return [...known.values()].filter((one) =>
    !hidden.has(one.doc_id)
    && (!members || members.has(one.doc_id))
    && (!$("kind").value || kindOf(one) === $("kind").value)
    && (!$("language").value || one.language === $("language").value)
    && words.every((part) => `${one.name} ${one.summary}`.toLocaleLowerCase().includes(part)));
}

export function draw() {
  const documents = shown();
  $("documents").replaceChildren(...documents.map(shelve));
  $("nothing").hidden = Boolean(documents.length);
  $("nothing").textContent = word(known.size ? "nothingFits" : "nothingYet");
  showChoice();
}

function shelve(one) {
  const box = make("input", { type: "checkbox", checked: chosen.has(one.doc_id) });
  box.onchange = () => { box.checked ? chosen.add(one.doc_id) : chosen.delete(one.doc_id); showChoice(); };
  const label = make("label", {}, box, make("span", { dir: "auto" }, one.name), make("small", { id: `state-${one.doc_id}` }, facts(one)));
  const more = make("div", { className: "more", hidden: true });
  const opens = button("⋯", () => {
    more.hidden = !more.hidden;
    opens.ariaExpanded = String(!more.hidden);
    if (!more.hidden) more.replaceChildren(...details(one));
  }, { ariaLabel: word("moreOf", { name: one.name }), ariaExpanded: "false" });
  const remove = button(word("delete"), () => discard(one), { ariaLabel: word("deleteOf", { name: one.name }) });
  return make("li", {}, make("div", { className: "entry" }, label, opens, remove), more);
}

function details(one) {
  const summary = make("p", { dir: "auto" }, one.summary || word("noSummary"));
  const added = make("small", {}, word("addedAt", { time: new Date(one.date_time).toLocaleString() }));
  const actions = make("div", { className: "row wrap" },
    make("a", { href: `#/doc/${one.doc_id}/page/1` }, word("openDocument")),
    button(word("rename"), () => rename(one)),
    button(word("download"), () => download(one)));
  const questions = suggestions(one.doc_id, () => { choose([one.doc_id]); draw(); });
  return [summary, questions, added, actions];
}

async function rename(one) {
  const name = await askName(word("newName", { name: one.name }), one.name);
  if (!name) return;
  await call("PATCH", `/v1/api/documents/${one.doc_id}`, { name });
  await list();
}

async function download(one) {
  save(one.name, await (await send("GET", `/v1/api/documents/${one.doc_id}/file`)).blob());
}

function discard(one) {
  const wasChosen = chosen.delete(one.doc_id);
  hidden.add(one.doc_id);
  draw();
  $("tab-documents").focus();
  later(word("deleted", { name: one.name }), async () => {
    await send("DELETE", `/v1/api/documents/${one.doc_id}`, { keepalive: true });
    known.delete(one.doc_id);
    hidden.delete(one.doc_id);
  }, () => {
    hidden.delete(one.doc_id);
    if (wasChosen) chosen.add(one.doc_id);
    draw();
  });
}

function facts(one) {
  return [counted("page", one.pages), one.language && languageNames.of(one.language)].filter(Boolean).join(", ");
}

function showChoice() {
  const [first] = chosen, base = bases.current();
  $("question").placeholder =
    chosen.size > 1 ? word("askSeveral", { count: chosen.size })
      : chosen.size ? word("askOne", { name: nameOf(first) })
        : base ? word("askBase", { name: base.name }) : word("askNothing");
  offer(chosen.size === 1 ? first : "");
}

async function watch(one) {
  const line = () => $(`state-${one.doc_id}`);
  for (;;) {
    let status;
    try {
      status = await call("GET", `/v1/api/documents/${one.doc_id}/status`);
    } catch (error) {
      if (line()) line().textContent = error.message; // belongs to this document, and goes with it
      return;
    }
    const working = status.state === "indexing";
    const scans = status.pages_unread ? word("scansLeft", { count: status.pages_unread }) : "";
    const doing = word("doing", { done: status.chunks_done, all: status.chunks }) + scans;
    if (line()) line().textContent = [working ? doing : facts(one), status.message].filter(Boolean).join(". ");
    if (!working || !known.has(one.doc_id)) return;
    await new Promise((resume) => setTimeout(resume, 1000));
  }
}

// What is asked: the checked documents, else the knowledge base that is shown.
export function scope() {
  const base = bases.current();
  if (!chosen.size && base) return { base: base.id, documents: [] };
  if (!chosen.size) throw new Error(word("checkFirst"));
  return { base: "", documents: [...chosen] };
}

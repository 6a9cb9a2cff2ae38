// The documents: listed, searched, filtered, chosen to be asked, renamed and deleted.
import * as bases from "./bases.js";
import { $, askName, button, later, make, option, save } from "./dom.js";
import { call, send } from "./server.js";
import { offer, suggestions } from "./suggestions.js";
import { counted, languageNames, word } from "./words.js";

const PAGES = 10; // of a hundred documents each: so many are there to be searched at once
export const chosen = new Set(); // doc_id of the documents to ask
const known = new Map(); // doc_id → document; `lent` is the knowledge base that somebody else has shared it in
const hidden = new Set(); // doc_id of what was deleted and may be taken back
let listed = PAGES;

export const nameOf = (doc_id) => known.get(doc_id)?.name ?? bases.nameIn(doc_id) ?? word("deletedDocument");
export const pagesOf = (doc_id) => known.get(doc_id)?.pages;

// (the documents that fit a query, the newest first, how many pages of them there are)
async function fetched(query, most) {
  const path = (page) => `/v1/api/documents?${new URLSearchParams({ ...query, page, page_size: 100 })}`;
  const first = await call("GET", path(1));
  const further = Array.from({ length: Math.max(0, Math.min(most, first.total_pages) - 1) }, (_, index) => call("GET", path(index + 2)));
  const pages = [first, ...(await Promise.all(further))];
  return [pages.flatMap(({ documents }) => documents), first.total_pages];
}

export async function list(added = []) {
  const [documents, pages] = await fetched({}, listed);
  known.clear();
  for (const one of documents) known.set(one.doc_id, one);
  $("older").hidden = listed >= pages;
  for (const doc_id of chosen) if (!known.has(doc_id)) chosen.delete(doc_id);
  if (added.length) choose(added); // what was just added is what will be asked
  await bases.list();
  if (!chosen.size && known.size && !bases.current()) choose([known.keys().next().value]);
  await listShared();
  // The summary comes last: a document without one is still worked on.
  for (const one of known.values()) if (!one.lent && (!one.summary || added.includes(one.doc_id))) watch(one);
}

// What somebody else has shared is there as long as its knowledge base is shown.
export async function listShared() {
  const base = bases.current();
  const [lent] = base && !bases.isOwn(base) ? await fetched({ knowledge_base_id: base.id }, Infinity) : [[]];
  if (base?.id !== bases.current()?.id) return; // another was chosen meanwhile
  for (const [doc_id, one] of known) if (one.lent) known.delete(doc_id);
  for (const one of lent) known.set(one.doc_id, { ...one, lent: base });
  offerFilters();
  draw();
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
  const all = [...known.values()], sorted = (values) => [...new Set(values)].filter(Boolean).sort((a, b) => a.localeCompare(b));
  const kinds = sorted(all.map((one) => one.kind)), languages = sorted(all.map((one) => one.language));
  const tags = sorted(new Map(all.flatMap((one) => one.tags).map((tag) => [folded(tag), tag])).values());
  refill($("kind"), "allKinds", kinds.map((kind) => option(kind, kind.toUpperCase())));
  refill($("language"), "allLanguages", languages.map((language) => option(language, languageNames.of(language))));
  refill($("tag"), "allTags", tags.map((tag) => option(folded(tag), tag)));
  $("tag").hidden = !tags.length;
}

function refill(select, all, options) {
  const before = select.value;
  select.replaceChildren(option("", word(all)), ...options);
  if (options.some(({ value }) => value === before)) select.value = before;
}

const folded = (text) => text.toLocaleLowerCase();

// Its own date may be a month or a year, all days of which count.
function isOf({ date }) {
  const from = $("from").value.slice(0, date.length), to = $("to").value.slice(0, date.length);
  return from <= date && (!to || date <= to);
}

function shown() {
  const words = folded($("find").value).split(/\s+/).filter(Boolean);
  const members = bases.current()?.members;
  return [...known.values()].filter((one) =>
    !hidden.has(one.doc_id)
    && (members ? members.has(one.doc_id) : !one.lent)
    && (!$("kind").value || one.kind === $("kind").value)
    && (!$("language").value || one.language === $("language").value)
    && (!$("tag").value || one.tags.some((tag) => folded(tag) === $("tag").value))
    && isOf(one)
    && words.every((part) => folded([one.name, one.summary, ...one.tags].join(" ")).includes(part)));
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
  const remove = button(word("delete"), () => discard(one), { ariaLabel: word("deleteOf", { name: one.name }), hidden: Boolean(one.lent) });
  return make("li", {}, make("div", { className: "entry" }, label, opens, remove), more);
}

function details(one) {
  const summary = make("p", { dir: "auto" }, one.summary || word("noSummary"));
  const added = make("small", {}, word("addedAt", { time: new Date(one.date_time).toLocaleString() }));
  const actions = make("div", { className: "row wrap" },
    make("a", { href: `#/doc/${one.doc_id}/page/1` }, word("openDocument")));
  if (!one.lent) actions.append(button(word("rename"), () => rename(one)), button(word("tags"), () => file(one)));
  if (one.lent?.access !== "read") actions.append(button(word("download"), () => download(one)));
  const questions = suggestions(one.doc_id, () => { choose([one.doc_id]); draw(); });
  return [summary, questions, added, actions];
}

async function rename(one) {
  const name = await askName(word("newName", { name: one.name }), one.name);
  if (!name) return;
  await call("PATCH", `/v1/api/documents/${one.doc_id}`, { name });
  await list();
}

// Its tags, as a person writes them.
async function file(one) {
  const written = await askName(word("tagsOf", { name: one.name }), one.tags.join(", "), false);
  if (written === null) return;
  const tags = written.split(",").map((tag) => tag.trim()).filter(Boolean);
  await call("PATCH", `/v1/api/documents/${one.doc_id}`, { tags });
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
  const about = [counted("page", one.pages), one.language && languageNames.of(one.language)].filter(Boolean).join(", ");
  return [about, ...one.tags].join(" · ");
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

// What a person does, and what the page does then.
import { addFiles, addLink, dropped } from "./adding.js";
import * as bases from "./bases.js";
import * as chats from "./chats.js";
import { $, attempt, flush, option, say, takeBack, when } from "./dom.js";
import * as exchange from "./exchange.js";
import * as exports from "./exports.js";
import * as library from "./library.js";
import { offer } from "./models.js";
import * as place from "./place.js";
import * as server from "./server.js";
import * as settings from "./settings.js";
import { watchSetup } from "./setup.js";
import * as sharing from "./sharing.js";
import * as talk from "./talk.js";
import { fill, languageNames, word } from "./words.js";

const OPTIONS = ["model", "length", "answer-language", "agent", "cite"]; // remembered on this device
const LANGUAGES = { DEFAULT: "", ENGLISH: "en", GERMAN: "de", FRENCH: "fr", SPANISH: "es", ITALIAN: "it", PORTUGUESE: "pt", DUTCH: "nl", POLISH: "pl", RUSSIAN: "ru", TURKISH: "tr", ARABIC: "ar", HEBREW: "he", HINDI: "hi", CHINESE: "zh", JAPANESE: "ja", KOREAN: "ko" };

async function enter(key) {
  server.useKey(key);
  offer(await server.call("GET", "/v1/api/models"));
  await library.list();
  show(true);
  say("");
  $("question").focus();
  await follow("");
}

function leave() {
  flush();
  server.forget();
  $("key").value = "";
  talk.startAfresh();
  library.forgetAll();
  show(false);
  $("key").focus();
}

function show(inside) {
  $("enter").hidden = inside;
  $("desk").hidden = $("leave").hidden = $("open-settings").hidden = !inside;
}

// Addresses: /#/doc/ID/page/7?quote=..., /#/chat/ID and /#/share/CODE.
async function follow(from) {
  if (!server.signedIn()) return;
  if (place.isPlace(location.hash)) return place.open(location.hash, from);
  if ($("place").open) $("place").close();
  const [, what, id] = location.hash.match(/^#\/(chat|share)\/([\w-]+)$/) ?? [];
  if (what === "chat") await chats.openById(id);
  if (what === "share") await sharing.take(id);
}

function remember() {
  for (const id of OPTIONS) {
    const kept = localStorage.getItem(`option:${id}`);
    if (kept !== null) $(id).type === "checkbox" ? $(id).checked = kept === "true" : $(id).value = kept;
    $(id).addEventListener("change", () => localStorage.setItem(`option:${id}`, $(id).type === "checkbox" ? $(id).checked : $(id).value));
  }
}

function openTab(name) {
  for (const [tab, panel] of [["documents", "shelf"], ["chats", "kept"]]) {
    $(`tab-${tab}`).ariaSelected = String(tab === name);
    $(`tab-${tab}`).tabIndex = tab === name ? 0 : -1;
    $(panel).hidden = tab !== name;
  }
  $(`tab-${name}`).focus();
  if (name === "chats") return chats.list();
}

fill();
$("answer-language").append(...Object.entries(LANGUAGES).map(([name, tag]) => option(name, tag ? languageNames.of(tag) : word("ofQuestion"))));
talk.showHead(word("conversation"));
remember();
server.whenKeyIsRefused(leave);

when("enter", "submit", async () => {
  await enter($("key").value.trim());
  server.remember($("keep").checked);
});
when("leave", "click", async () => { leave(); say(word("forgotten")); });
when("undo", "click", async () => takeBack());
when("open-settings", "click", settings.open);
when("settings-close", "click", async () => $("settings").close());

when("add", "submit", async () => { addFiles($("file").files); $("add").reset(); });
when("link", "submit", async () => { addLink($("url").value); $("link").reset(); });
when("older", "click", library.older);
for (const id of ["find", "kind", "language", "tag", "from", "to"]) $(id).addEventListener("input", library.draw);
$("base").addEventListener("change", bases.changed);
$("base-into").addEventListener("change", () => attempt(bases.join));
when("base-menu", "click", async () => {
  $("base-actions").hidden = !$("base-actions").hidden;
  $("base-menu").ariaExpanded = String(!$("base-actions").hidden);
});
when("base-make", "click", bases.create);
when("base-part", "click", bases.part);
when("base-rename", "click", bases.rename);
when("base-delete", "click", async () => bases.discard());
when("base-share", "click", sharing.open);
when("base-save", "click", exchange.saveBase);
when("base-bring", "click", async () => $("base-file").click());
$("base-file").addEventListener("change", () => attempt(exchange.bringIn));
when("base-take", "click", () => sharing.take());
when("share", "submit", sharing.share);
when("share-copy", "click", sharing.copy);
when("sharing-close", "click", async () => $("sharing").close());

when("tab-documents", "click", () => openTab("documents"));
when("tab-chats", "click", () => openTab("chats"));
document.querySelector("[role=tablist]").addEventListener("keydown", ({ key }) => {
  if (key === "ArrowLeft" || key === "ArrowRight") attempt(() => openTab($("shelf").hidden ? "documents" : "chats"));
});
$("find-chat").addEventListener("input", () => attempt(chats.list));
when("more-chats", "click", chats.more);

when("fresh", "click", async () => {
  talk.startAfresh();
  history.replaceState(null, "", location.pathname);
  say("");
  $("question").focus();
});
when("ask", "submit", () => talk.ask($("question").value.trim()));
when("stop", "click", async () => talk.stop());
when("export-markdown", "click", async () => exports.asMarkdown());
when("export-html", "click", async () => exports.asHtml());

when("place-close", "click", async () => $("place").close());
$("place").addEventListener("close", place.closed);
when("place-before", "click", async () => place.turnPage(-1));
when("place-after", "click", async () => place.turnPage(1));
when("place-smaller", "click", () => place.zoom(-1));
when("place-larger", "click", () => place.zoom(1));
when("place-form", "click", place.changeForm);
window.addEventListener("hashchange", ({ oldURL }) => attempt(() => follow(new URL(oldURL).hash)));
window.addEventListener("pagehide", flush);

document.addEventListener("dragover", (event) => {
  if (!server.signedIn()) return;
  event.preventDefault();
  document.body.classList.add("dropping");
});
document.addEventListener("dragleave", ({ relatedTarget }) => { if (!relatedTarget) document.body.classList.remove("dropping"); });
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  if (server.signedIn()) attempt(async () => addFiles(await dropped(event.dataTransfer)));
});

const look = () => watchSetup(async () => { if (server.signedIn()) offer(await server.call("GET", "/v1/api/models")); }).catch(() => {});
document.addEventListener("visibilitychange", look); // without the server there is nothing to show, and the next click says so
look();

await attempt(async () => {
  const key = await server.rememberedKey();
  if (!key) return;
  await enter(key);
  server.remember(false);
});
$("enter").hidden = server.signedIn();
if (!server.signedIn()) $("key").focus();

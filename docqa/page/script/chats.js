// Kept chats: listed, searched, opened, renamed, deleted.
import { $, askName, button, later, make } from "./dom.js";
import { call, send } from "./server.js";
import { open, showHead, startAfresh } from "./talk.js";
import { word } from "./words.js";

const SIZE = 50;
const TITLE = 80; // characters of a question that become the title
let kept = ""; // chat_id of what is shown, if it is kept
let pages = 1;
let number = 0; // of the last look: an earlier one that comes later is not shown

export function leave() { kept = ""; }

export async function list() {
  const mine = ++number, query = $("find-chat").value.trim();
  const path = (page) => `/v1/api/chats?${new URLSearchParams({ query, page, page_size: SIZE })}`;
  const found = await Promise.all(Array.from({ length: pages }, (_, index) => call("GET", path(index + 1))));
  if (mine !== number) return;
  const entries = found.flatMap(({ chats }) => chats);
  $("chats").replaceChildren(...entries.map(entry));
  $("no-chats").hidden = Boolean(entries.length);
  $("more-chats").hidden = pages >= found[0].total_pages;
}

export function more() {
  pages += 1;
  return list();
}

function entry({ chat_id, title, date_time }) {
  const opens = button(title, async () => {
    open(await call("GET", `/v1/api/chats/${chat_id}`));
    kept = chat_id;
    location.hash = `#/chat/${chat_id}`;
  }, { className: "quiet open", dir: "auto" });
  const line = make("li", {},
    make("div", { className: "entry" }, opens,
      button(word("rename"), () => rename(chat_id, title), { ariaLabel: word("renameOf", { name: title }) }),
      button(word("delete"), () => discard(chat_id, title, line), { ariaLabel: word("deleteOf", { name: title }) })),
    make("small", {}, new Date(date_time).toLocaleString()));
  return line;
}

export async function openById(chat_id) {
  if (chat_id === kept) return;
  open(await call("GET", `/v1/api/chats/${chat_id}`));
  kept = chat_id;
}

// Keep the last turn; the first one of a chat keeps the chat, with what it branched from.
export async function keep(turns, { base, documents }) {
  if (kept) {
    await call("POST", `/v1/api/chats/${kept}/turns`, turns.at(-1));
  } else {
    const title = turns[0].question.slice(0, TITLE);
    const body = { title, doc_ids: documents, knowledge_base_id: base || null, turns };
    ({ chat_id: kept } = await call("POST", "/v1/api/chats", body));
    showHead(title);
  }
  if (!$("kept").hidden) await list();
}

async function rename(chat_id, title) {
  const name = await askName(word("newName", { name: title }), title);
  if (!name) return;
  const { doc_ids, knowledge_base_id } = await call("GET", `/v1/api/chats/${chat_id}`);
  await call("PUT", `/v1/api/chats/${chat_id}`, { title: name, doc_ids, knowledge_base_id: knowledge_base_id || null });
  if (chat_id === kept) showHead(name);
  await list();
}

function discard(chat_id, title, line) {
  line.hidden = true;
  if (chat_id === kept) startAfresh();
  later(word("deleted", { name: title }), async () => {
    await send("DELETE", `/v1/api/chats/${chat_id}`, { keepalive: true });
  }, () => { line.hidden = false; });
}

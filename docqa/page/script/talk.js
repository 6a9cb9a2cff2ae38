// The conversation: questions, answers as they are made, their sources, and what is kept of it.
import * as chats from "./chats.js";
import { $, attempt, button, make, say } from "./dom.js";
import { choose, draw, nameOf, scope } from "./library.js";
import { show as showBase } from "./bases.js";
import { written } from "./markdown.js";
import { betterModel, writer } from "./models.js";
import { linkTo } from "./place.js";
import { events, send } from "./server.js";
import { word } from "./words.js";

let turns = []; // { question, answer, written_by, sources } as they are kept
let answering = new AbortController();

export const stop = () => answering.abort();
export const current = () => turns;

export function startAfresh() {
  answering.abort();
  turns = [];
  chats.leave();
  $("question").value = "";
  $("talk").replaceChildren();
  showHead(word("conversation"));
}

// Show a kept chat, or the part of one that a new chat branches from.
export function open(chat) {
  startAfresh();
  turns = chat.turns;
  $("talk").replaceChildren(...turns.map((turn, index) => drawn(turn, index)));
  if (chat.knowledge_base_id) showBase(chat.knowledge_base_id);
  else if (chat.doc_ids.length) {
    choose(chat.doc_ids);
    draw();
  }
  showHead(chat.title);
}

export function showHead(title) {
  $("talk-title").textContent = title;
  $("welcome").hidden = Boolean($("talk").children.length);
  $("export-markdown").hidden = $("export-html").hidden = !turns.length;
}

// What the server is told of the conversation: a model that reads the marks of an earlier answer would write some of its own.
function history() {
  return turns.filter((turn) => turn.answer).flatMap((turn) => [
    { sender: "user", message: turn.question },
    { sender: "bot", message: turn.answer.replace(/ \[\d+\]/g, "") },
  ]);
}

export async function ask(question) {
  const { base, documents } = scope(), messages = [...history(), { sender: "user", message: question }];
  const [path, body] = base ? [`/v1/api/knowledge/${base}/chat`, { messages }]
    : documents.length === 1 ? [`/v1/chat/${documents[0]}`, messages]
      : ["/v1/api/knowledge_base_chat", { documents, messages }];
  const cite = $("cite").checked;
  const query = new URLSearchParams({ stream: true, cite_source: cite, model_name: $("model").value, agent_mode: $("agent").checked, length: $("length").value, language: $("answer-language").value });
  const headers = { "Content-Type": "application/json", Accept: "text/event-stream" };
  const answer = make("div", { className: "answer", dir: "auto", data: { waiting: word("looking") } });
  const line = make("li", { ariaBusy: "true" }, make("p", { className: "question", dir: "auto" }, question), answer);
  const { signal } = (answering = new AbortController());
  $("talk").append(line);
  showHead($("talk-title").textContent);
  line.scrollIntoView();
  $("question").value = "";
  $("stop").hidden = false;
  say("");
  try {
    const began = performance.now();
    const response = await send("POST", `${path}?${query}`, { body: JSON.stringify(body), signal, headers });
    const turn = { question, ...(await receive(response, answer)) };
    turns.push(turn);
    const seconds = (performance.now() - began) / 1000;
    line.replaceChildren(...drawn(turn, turns.length - 1, seconds).childNodes);
    if (response.headers.has("X-DocQA-Gains")) attempt(async () => line.append(...(await betterModel())));
    await chats.keep(turns, { base, documents });
    showHead($("talk-title").textContent);
  } catch (error) {
    if (!line.isConnected) throw error;
    $("question").value ||= question;
    line.append(make("p", { className: "fault" }, error.name === "AbortError" ? word("stopped") : error.message));
  } finally {
    line.ariaBusy = "false"; // a screen reader reads the answer now, not token by token
    $("stop").hidden = true;
    $("question").focus();
  }
}

async function receive(response, answer) {
  let text = "", sources = [];
  for await (const [event, data] of events(response)) {
    if (event === "error") throw new Error(data.detail);
    if (event === "sources") sources = data;
    if (event === "token") {
      text += data.text;
      answer.append(data.text);
    }
  }
  return { answer: text, sources, written_by: response.headers.get("X-DocQA-Target") ?? "" };
}

// A turn as it is shown; `seconds` where it was just answered.
function drawn(turn, index, seconds) {
  const question = make("p", { className: "question", dir: "auto" }, turn.question);
  if (!turn.answer) return make("li", {}, question, make("p", { className: "hint" }, word("answerDeleted")));
  const answer = make("div", { className: "answer", dir: "auto" });
  const by = writer(turn.written_by);
  if (by && turn.written_by !== "quotes") attempt(async () => answer.replaceChildren(await written(turn.answer, (mark) => marked(mark, turn))));
  else answer.append(...marked(turn.answer, turn));
  const how = [by, seconds && word("took", { seconds: seconds.toFixed(1) })].filter(Boolean).join(" · ");
  const actions = make("div", { className: "row wrap" },
    button(word("copy"), () => copy(turn)),
    button(word("regenerate"), () => ask(turn.question)),
    button(word("branch"), () => branch(index)));
  const line = make("li", {}, question, answer);
  if (how) line.append(make("small", {}, how));
  if (turn.sources.length) line.append(make("ul", { className: "sources", ariaLabel: word("sources") }, ...turn.sources.map((source) => card(source, turn))));
  line.append(actions);
  return line;
}

// Text with its [n] marks as buttons.
function marked(text, turn) {
  return text.split(/(\[\d+\])/).map((part, at, parts) => {
    const source = turn.sources.find((each) => part === `[${each.id}]`);
    if (!source) return part;
    const properties = { className: "cite", ariaLabel: word("source", { number: source.id }), data: { quote: source.source_chunk.slice(0, 400) } };
    return opener(source, turn, [part], properties, parts[at - 1] ?? "");
  });
}

function card(source, turn) {
  const name = make("bdi", {}, nameOf(source.doc_id)); // in whatever direction it is written
  const label = [`[${source.id}] `, name, word("onPage", { number: source.page_number })];
  const sentence = sentenceOf(source, turn);
  return make("li", {}, opener(source, turn, label, {}, sentence), quoted(source.source_chunk, sentence));
}

// A passage, scrolled to the sentence it is cited for.
function quoted(text, sentence) {
  const at = sentence ? text.indexOf(sentence) : -1;
  if (at < 0) return make("blockquote", { dir: "auto", tabIndex: 0 }, text);
  const mark = make("mark", { className: "quote" }, sentence);
  const quote = make("blockquote", { dir: "auto", tabIndex: 0 }, text.slice(0, at), mark, text.slice(at + sentence.length));
  requestAnimationFrame(() => { quote.scrollTop = mark.offsetTop - quote.offsetTop - 24; });
  return quote;
}

function opener(source, turn, content, properties, sentence) {
  const node = make("button", { type: "button", className: "quiet", ...properties }, ...content);
  node.onclick = () => { location.hash = linkTo(source, sentence.trim(), turn.sources); };
  return node;
}

// What stands before the mark of a source: the sentence that it is cited for.
function sentenceOf(source, turn) {
  return turn.answer.split(`[${source.id}]`)[0].split(/\[\d+\]/).pop().trim();
}

async function copy(turn) {
  const sources = turn.sources.map((source) => `[${source.id}] ${nameOf(source.doc_id)}${word("onPage", { number: source.page_number })}`);
  await navigator.clipboard.writeText([turn.answer, ...sources].join("\n"));
  say(word("copied"));
}

function branch(index) {
  const title = $("talk-title").textContent;
  const { base, documents } = scope();
  open({ title: word("branchOf", { title }), turns: turns.slice(0, index + 1), doc_ids: documents, knowledge_base_id: base });
  say(word("branched"));
  $("question").focus();
}

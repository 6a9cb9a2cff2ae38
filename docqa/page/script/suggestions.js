// Questions that a document answers, made by the server: shown with its entry and before a conversation; a click asks.
import { $, attempt, button, make } from "./dom.js";
import { call } from "./server.js";
import { word } from "./words.js";

const LOOKS = 180; // a second apart
let offered = ""; // doc_id of the document whose questions stand before the conversation

export function offer(doc_id) {
  if (doc_id === offered) return;
  offered = doc_id;
  $("suggested").replaceChildren(...(doc_id ? [suggestions(doc_id)] : []));
}

// A box that shows itself once there are questions; `before` is done before one is asked.
export function suggestions(doc_id, before = () => {}) {
  const box = make("div", { className: "suggested", hidden: true });
  attempt(() => fill(box, doc_id, before));
  return box;
}

async function fill(box, doc_id, before) {
  for (let look = 0; look < LOOKS; look += 1) {
    const { state, questions } = await call("GET", `/v1/api/documents/${doc_id}/questions`);
    if (state === "ready") return show(box, questions, before);
    await new Promise((resume) => setTimeout(resume, 1000));
    if (!box.isConnected) return;
  }
}

function show(box, questions, before) {
  if (!questions.length) return;
  const ask = (question) => {
    before();
    $("question").value = question;
    $("ask").requestSubmit();
  };
  const items = questions.map(({ question }) => make("li", {}, button(question, async () => ask(question), { dir: "auto" })));
  box.replaceChildren(make("p", { className: "hint" }, word("suggested")), make("ul", {}, ...items));
  box.hidden = false;
}

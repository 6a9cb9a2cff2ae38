// What every part of the page uses to show things: nodes made of text, never of HTML, and the line that says what happened.
import { word } from "./words.js";

export const $ = (id) => document.getElementById(id);

export function make(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  const { data = {}, ...own } = properties;
  Object.assign(node, own);
  Object.assign(node.dataset, data);
  node.append(...children);
  return node;
}

// A sentence of the server, in which a command stands between backticks.
export function coded(sentence) {
  return sentence.split("`").map((part, index) => (index % 2 ? make("code", {}, part) : part));
}

export function option(value, label) {
  return make("option", { value }, label);
}

export function button(label, work, properties = {}) {
  const node = make("button", { type: "button", className: "quiet", ...properties }, label);
  node.addEventListener("click", () => during(node, work));
  return node;
}

export function say(text, fault = false) {
  $("say").textContent = text;
  $("say").className = fault ? "fault" : "";
}

// Errors are sentences of the server or of ours: they are shown, and the page goes on.
export async function attempt(work) {
  try { await work(); } catch (error) { if (error.name !== "AbortError") say(error.message, true); }
}

// A second click does nothing until the first is done.
async function during(node, work) {
  node.disabled = true;
  await attempt(work);
  node.disabled = false;
}

export function when(id, event, work) {
  $(id).addEventListener(event, (happened) => {
    happened.preventDefault();
    during(happened.submitter || happened.currentTarget, work);
  });
}

export function save(name, blob) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// What the person types into a small dialog; null where it is closed.
export function askName(label, value = "", required = true) {
  const dialog = $("naming");
  $("naming-title").textContent = label;
  $("name").value = value;
  $("name").required = required;
  dialog.returnValue = "";
  dialog.showModal();
  $("name").select();
  $("naming-cancel").onclick = () => dialog.close("");
  return new Promise((resolve) => {
    dialog.querySelector("form").onsubmit = () => { dialog.returnValue = "save"; };
    dialog.onclose = () => resolve(dialog.returnValue === "save" ? $("name").value.trim() : null);
  });
}

const undone = []; // what the person may still take back, the last at the end

// Do `work` in a while, unless it is taken back: `back` then puts on the screen what was there.
export function later(text, work, back) {
  flush();
  const timer = setTimeout(flush, 7000);
  undone.push({ timer, work, back });
  say(text);
  $("undo").hidden = false;
}

export function flush() {
  for (const { timer, work } of undone.splice(0)) {
    clearTimeout(timer);
    attempt(work);
  }
  $("undo").hidden = true;
}

export function takeBack() {
  for (const { timer, back } of undone.splice(0)) {
    clearTimeout(timer);
    back();
  }
  $("undo").hidden = true;
  say(word("takenBack"));
}

// Files and links on their way in: each with its own line, which tells how far it is, can be cancelled, and tries again.
import { take } from "./bases.js";
import { $, attempt, button, make, say } from "./dom.js";
import { list } from "./library.js";
import { send, upload } from "./server.js";
import { counted, word } from "./words.js";

const AT_ONCE = 2; // the server reads as many at a time as it has processors; more would only wait there
const waiting = [];
let running = 0;
let added = [];

export function addFiles(files) {
  for (const file of files) put(file.name, (onProgress, signal) => upload(file, onProgress, signal));
  next();
}

export function addLink(url) {
  put(url, async (_, signal) => (await send("POST", `/v1/api/download_pdf?${new URLSearchParams({ url })}`, { signal })).json());
  next();
}

function put(name, work) {
  const bar = make("progress", { max: 1, value: 0, ariaLabel: name });
  const state = make("small", {}, word("waits"));
  const line = make("li", {}, make("span", { dir: "auto" }, name), bar, state);
  const stop = new AbortController();
  const cancel = button(word("cancel"), () => { stop.abort(); remove(item); }, { ariaLabel: word("cancelOf", { name }) });
  const item = { name, work, bar, state, line, stop, cancel };
  line.insertBefore(cancel, bar);
  $("adding").append(line);
  waiting.push(item);
}

function remove(item) {
  item.line.remove();
  const at = waiting.indexOf(item);
  if (at >= 0) waiting.splice(at, 1);
}

function next() {
  while (running < AT_ONCE && waiting.length) run(waiting.shift());
}

async function run(item) {
  running += 1;
  item.state.textContent = word("sends", { percent: 0 });
  try {
    const { doc_id } = await item.work((share) => progress(item, share), item.stop.signal);
    added.push(doc_id);
    remove(item);
  } catch (error) {
    if (error.name === "AbortError") remove(item);
    else fail(item, error);
  }
  running -= 1;
  next();
  if (!running) await attempt(finish);
}

function progress(item, share) {
  item.bar.value = share;
  if (share < 1) return void (item.state.textContent = word("sends", { percent: Math.floor(100 * share) }));
  item.bar.removeAttribute("value"); // how long reading takes is not known
  item.state.textContent = word("reads");
}

function fail(item, error) {
  item.bar.remove();
  item.state.className = "fault";
  item.state.textContent = error.message;
  const again = button(word("again"), () => {
    item.line.remove();
    put(item.name, item.work);
    next();
  }, { ariaLabel: word("againOf", { name: item.name }) });
  item.cancel.textContent = word("dismiss");
  item.line.append(again);
}

async function finish() {
  const done = added;
  added = [];
  if (!done.length) return;
  await list(done);
  await take(done);
  say(counted("added", done.length));
}

// The files of what was dropped, those in folders too; all that is asked of it must be asked at once.
export async function dropped(transfer) {
  const items = [...transfer.items].filter(({ kind }) => kind === "file");
  const parts = items.map((item) => [item.webkitGetAsEntry(), item.getAsFile()]);
  return (await Promise.all(parts.map(([entry, file]) => entry ? filesOf(entry) : [file]))).flat();
}

async function filesOf(entry) {
  if (entry.isFile) return [await new Promise((resolve, reject) => entry.file(resolve, reject))];
  const reader = entry.createReader(), inside = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) break;
    inside.push(...some);
  }
  return (await Promise.all(inside.map(filesOf))).flat();
}

// Requests to the server, with the key; what it refuses becomes an Error whose message can be shown.
import { word } from "./words.js";

let key = "";
let onRefusedKey = () => {};
const channel = new BroadcastChannel("docqa");

export const signedIn = () => Boolean(key);
export const currentKey = () => key;

export function useKey(given) { key = given; }
export function whenKeyIsRefused(work) { onRefusedKey = work; }

export async function send(method, path, options = {}) {
  const headers = { "x-api-key": key, ...options.headers };
  const response = await fetch(path, { method, ...options, headers }).catch((error) => {
    throw error.name === "AbortError" ? error : new Error(word("unreachable"));
  });
  if (response.ok) return response;
  throw new Error(refusal(response.status, await response.text().catch(() => "")));
}

export async function call(method, path, body) {
  const options = body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
  return (await send(method, path, options)).json();
}

// The sentence of a refusal; a proxy on the way may answer in a form of its own.
function refusal(status, text) {
  if (status === 401) onRefusedKey();
  let detail;
  try { ({ detail } = JSON.parse(text)); } catch { detail = word("status", { status }); }
  return Array.isArray(detail) ? detail.map((fault) => fault.msg).join("; ") : detail;
}

// An upload that tells how far it is, which fetch cannot: `onProgress` gets a share from 0 to 1.
export function upload(file, onProgress, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(), body = new FormData();
    body.append("file", file);
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
    request.onload = () => request.status < 300 ? resolve(JSON.parse(request.responseText)) : reject(new Error(refusal(request.status, request.responseText)));
    request.onerror = () => reject(new Error(word("unreachable")));
    request.onabort = () => reject(new DOMException("", "AbortError"));
    signal.addEventListener("abort", () => request.abort());
    request.open("POST", "/v1/api/upload");
    request.setRequestHeader("x-api-key", key);
    request.send(body);
  });
}

export async function* events(response) {
  const broken = new Error(word("brokenOff"));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ; ) {
    const { done, value } = await reader.read().catch((error) => { throw error.name === "AbortError" ? error : broken; });
    if (done) throw broken; // before the event that says so
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const [, event, data] = block.match(/^event: (\w+)\ndata: ([^]*)$/);
      if (event === "done") return;
      yield [event, JSON.parse(data)];
    }
  }
}

// ---- where the key comes from: this tab, this device, a link with a ticket, or another tab

export async function rememberedKey() {
  const link = location.hash.match(/^#key=([\w-]+)$/);
  if (link) {
    history.replaceState(null, "", location.pathname);
    const { key: given } = await call("POST", "/signin", { ticket: link[1] });
    return given;
  }
  return sessionStorage.getItem("key") ?? localStorage.getItem("key") ?? (await otherTab());
}

export function remember(onDevice) {
  sessionStorage.setItem("key", key);
  if (onDevice) localStorage.setItem("key", key);
}

export function forget() {
  key = "";
  sessionStorage.removeItem("key");
  localStorage.removeItem("key");
}

function otherTab() {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), 150);
    channel.addEventListener("message", ({ data }) => {
      if (!data.key) return;
      clearTimeout(timer);
      resolve(data.key);
    });
    channel.postMessage({ ask: true });
  });
}

channel.addEventListener("message", ({ data }) => { if (data.ask && key) channel.postMessage({ key }); });

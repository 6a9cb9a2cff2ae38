// Carries the Model Context Protocol between an assistant, over stdin and stdout, and a running DocQA, over HTTP.
// Nothing but what Node.js brings, from version 18 on.

const readline = require("node:readline");

const url = `${(process.env.DOCQA_URL || "http://127.0.0.1:8000").replace(/\/+$/, "")}/mcp`;
const key = process.env.DOCQA_KEY || "";
const inHand = new Map(); // what ends a request, by its id
let agreed = ""; // the version that `initialize` agreed on, before there was one in each request

const header = (text) =>
  /^[\x21-\x7e]+$/.test(text) ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;

function headersOf({ method, params }) {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "x-api-key": key,
  };
  const stated = params?._meta?.["io.modelcontextprotocol/protocolVersion"];
  if (stated) {
    headers["mcp-method"] = method;
    if (typeof params.name === "string") headers["mcp-name"] = header(params.name);
  }
  if (stated || agreed) headers["mcp-protocol-version"] = stated || agreed;
  return headers;
}

function refusal(id, message) {
  return { jsonrpc: "2.0", id, error: { code: -32603, message } };
}

async function answerTo(message) {
  const abort = new AbortController();
  inHand.set(message.id, abort);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: headersOf(message),
      body: JSON.stringify(message),
      signal: abort.signal,
    });
    const text = await response.text();
    if (!text) return undefined; // a notification was taken
    const body = JSON.parse(text);
    if (body.jsonrpc !== "2.0") return refusal(message.id, `DocQA: ${body.detail ?? `HTTP ${response.status}`}`);
    if (message.method === "initialize") agreed = body.result?.protocolVersion ?? "";
    return body;
  } catch (error) {
    if (abort.signal.aborted) return undefined;
    return refusal(message.id, `DocQA does not answer at ${url} (${error.cause?.code ?? error.message}). Is it running?`);
  } finally {
    inHand.delete(message.id);
  }
}

readline.createInterface({ input: process.stdin }).on("line", async (line) => {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return; // no message, and nobody to tell
  }
  if (message.method === "notifications/cancelled") {
    inHand.get(message.params?.requestId)?.abort();
    return;
  }
  const answer = await answerTo(message);
  if (answer && message.id !== undefined) process.stdout.write(`${JSON.stringify(answer)}\n`);
});

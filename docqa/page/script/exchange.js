// A knowledge base as a file: a ZIP of its documents, saved from here and brought in elsewhere.
import * as bases from "./bases.js";
import { $, save, say } from "./dom.js";
import { list } from "./library.js";
import { send } from "./server.js";
import { word } from "./words.js";

export async function saveBase() {
  const { id, name } = bases.current();
  say(word("packing", { name }));
  save(`${name}.zip`, await (await send("GET", `/v1/api/knowledge/${id}/export`)).blob());
  say("");
}

export async function bringIn() {
  const [file] = $("base-file").files;
  $("base-file").value = "";
  if (!file) return;
  const body = new FormData();
  body.append("file", file);
  say(word("bringing", { name: file.name }));
  const { knowledge_base_id, name, added, present, refused } = await (await send("POST", "/v1/api/knowledge/import", { body })).json();
  await list();
  bases.show(knowledge_base_id);
  const reasons = refused.map((each) => word("notBrought", each));
  say([word("brought", { name, added, present }), ...reasons].join(" "), Boolean(refused.length));
}

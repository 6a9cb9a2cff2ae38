// A knowledge base shared with others: whom it is for, the link for each, shown once, and its end. And taken from others.
import * as bases from "./bases.js";
import { $, askName, button, make, say } from "./dom.js";
import { call } from "./server.js";
import { word } from "./words.js";

let base = null; // whose shares are shown
const path = () => `/v1/api/knowledge/${base.id}/shares`;
const day = (time) => new Date(time).toLocaleDateString();

export async function open() {
  base = bases.current();
  $("sharing-title").textContent = word("sharing", { name: base.name });
  $("share-made").hidden = true;
  $("share").reset();
  await list();
  $("sharing").showModal();
}

async function list() {
  $("shares").replaceChildren(...(await call("GET", path())).map((share) => make("li", {},
    make("span", { dir: "auto" }, share.name),
    make("small", {}, [word(share.originals ? "withOriginals" : "withoutOriginals"), share.taken ? word("takenAt", { day: day(share.taken) }) : word("notTaken")].join(" · ")),
    button(word("withdraw"), () => withdraw(share), { ariaLabel: word("withdrawOf", { name: share.name }) }))));
}

export async function share() {
  const { code } = await call("POST", path(), { name: $("share-for").value.trim(), originals: $("share-originals").checked });
  $("share").reset();
  $("share-link").value = `${location.origin}/#/share/${code}`;
  $("share-made").hidden = false;
  $("share-link").select();
  await list();
}

export async function copy() {
  await navigator.clipboard.writeText($("share-link").value);
}

async function withdraw({ share_id }) {
  await call("DELETE", `${path()}/${share_id}`);
  $("share-made").hidden = true;
  await list();
}

// What somebody else has shared, by its code or a link that ends in it; nobody is given anything unasked.
export async function take(code = "") {
  const given = await askName(word("shareCode"), code);
  if (code) history.replaceState(null, "", location.pathname);
  if (!given) return;
  const { knowledge_base_id, name } = await call("POST", "/v1/api/shares", { code: given.split("/").pop() });
  await bases.list(knowledge_base_id);
  bases.changed();
  say(word("taken", { name }));
}

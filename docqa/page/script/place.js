// The cited place: the page as a picture with the passage marked where it can be drawn, else its text.
import { $, attempt, make } from "./dom.js";
import { nameOf, pagesOf as pagesKnown } from "./library.js";
import { call, send } from "./server.js";
import { word } from "./words.js";

const WIDTHS = [600, 900, 1200, 1600]; // pixels of the picture
let place = null; // { doc_id, page, quote, sentence }
let marks = []; // sources of the answer that the place was opened from
let width = 1;
let asText = false;
const MARGIN = 80; // pixels that are shown above what is marked
const looked = new Map(); // doc_id → { pages, drawn }: how many it has, and whether they can be drawn
let before = ""; // the address that closing goes back to

// The address of a source, and of what else its answer cites. Others can be given: /#/doc/ID/page/7?quote=...
export function linkTo(source, sentence, sources) {
  marks = sources;
  const stands = sentence && source.source_chunk.includes(sentence);
  const query = new URLSearchParams({ quote: source.source_chunk, ...(stands && { sentence }) });
  return address(source.doc_id, source.page_number, query);
}

const address = (doc_id, page, query) => `#/doc/${doc_id}/page/${page}${`${query}` && `?${query}`}`;

const pagesOf = (doc_id) => pagesKnown(doc_id) ?? looked.get(doc_id).pages;

async function look(doc_id) {
  if (!looked.has(doc_id)) looked.set(doc_id, await call("GET", `/v1/api/documents/${doc_id}/pages`));
  return looked.get(doc_id);
}

export function isPlace(hash) {
  return /^#\/doc\/([^/?]+)\/page\/(\d+)/.test(hash);
}

export async function open(hash, from) {
  const [, doc_id, page] = hash.match(/^#\/doc\/([^/?]+)\/page\/(\d+)/);
  const query = new URLSearchParams(hash.split("?")[1] ?? "");
  place = { doc_id, page: Number(page), quote: query.get("quote") ?? "", sentence: query.get("sentence") ?? "" };
  if (!$("place").open) before = from;
  await show();
}

async function show() {
  const { doc_id, page } = place;
  const [{ text }] = await Promise.all([call("GET", `/v1/api/documents/${doc_id}/pages/${page}`), look(doc_id)]);
  $("place-title").textContent = nameOf(doc_id) + word("onPage", { number: page });
  $("place-before").disabled = page <= 1;
  $("place-after").disabled = page >= pagesOf(doc_id);
  $("place-text").replaceChildren(...markedText(text));
  drawStrip();
  if (!$("place").open) $("place").showModal();
  await showPicture();
  $("place-body").querySelector("mark")?.scrollIntoView({ block: "center" });
}

// The text with the passage marked, and in it the very sentence.
function markedText(text) {
  const { quote, sentence } = place, at = quote ? text.indexOf(quote) : -1;
  if (at < 0) return [text];
  const within = sentence ? quote.indexOf(sentence) : -1;
  const inside = within < 0 ? [quote] : [quote.slice(0, within), make("mark", { className: "quote" }, sentence), quote.slice(within + sentence.length)];
  return [text.slice(0, at), make("mark", {}, ...inside), text.slice(at + quote.length)];
}

async function showPicture() {
  const { doc_id, page, quote, sentence } = place, picture = $("place-picture");
  $("place-body").ariaBusy = "true";
  const [url, top] = asText ? ["", 0] : await pictureOf(doc_id, page, quote, sentence);
  $("place-body").ariaBusy = "false";
  if (picture.src) URL.revokeObjectURL(picture.src);
  picture.hidden = !url;
  $("place-text").hidden = Boolean(url);
  if (url) picture.src = url; else picture.removeAttribute("src");
  picture.alt = word("pictureOf", { name: nameOf(doc_id), number: page });
  $("place-form").textContent = word(asText ? "asPicture" : "asText");
  $("place-smaller").hidden = $("place-larger").hidden = !url;
  $("place-smaller").disabled = width === 0;
  $("place-larger").disabled = width === WIDTHS.length - 1;
  $("place-form").hidden = !url && !asText;
  if (!url) return;
  await picture.decode();
  $("place-body").scrollTop = top * picture.offsetHeight - MARGIN;
}

// (the address of the picture, the share of it above what is marked); no address where pages of such a document cannot be drawn, as those of a text file.
async function pictureOf(doc_id, page, highlight, quote) {
  if (!(await look(doc_id)).drawn) return ["", 0];
  const query = new URLSearchParams({ width: WIDTHS[width], ...(highlight && { highlight }), ...(quote && { quote }) });
  const response = await send("GET", `/v1/api/documents/${doc_id}/pages/${page}.png?${query}`);
  return [URL.createObjectURL(await response.blob()), Number(response.headers.get("X-DocQA-Marked-At"))];
}

// A mark for each cited page of this document, where it stands in it.
function drawStrip() {
  const all = pagesOf(place.doc_id), pages = new Map();
  for (const source of marks) if (source.doc_id === place.doc_id) pages.set(source.page_number, [...(pages.get(source.page_number) ?? []), source]);
  $("strip").hidden = pages.size < 2;
  $("strip").replaceChildren(...[...pages].map(([page, sources]) => {
    const numbers = sources.map(({ id }) => id).join(", ");
    const node = make("button", { type: "button", ariaLabel: word("sourceOnPage", { number: numbers, page }) }, numbers);
    node.style.left = `${(100 * (page - 0.5)) / all}%`;
    if (page === place.page) node.ariaCurrent = "true";
    node.onclick = () => { location.replace(linkTo(sources[0], "", marks)); };
    return node;
  }));
}

export function turnPage(by) {
  location.replace(address(place.doc_id, place.page + by, new URLSearchParams(place.quote && { quote: place.quote })));
}

export async function zoom(by) {
  width = Math.min(WIDTHS.length - 1, Math.max(0, width + by));
  await showPicture();
}

export async function changeForm() {
  asText = !asText;
  await showPicture();
}

export function closed() {
  if (isPlace(location.hash)) history.replaceState(null, "", before || location.pathname);
}

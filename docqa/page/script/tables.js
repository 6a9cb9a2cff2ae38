// Tables of the settings: headings are words of the page, cells text or nodes.
import { make } from "./dom.js";
import { word } from "./words.js";

export function table(headings, rows) {
  const head = make("tr", {}, ...headings.map((heading) => make("th", { scope: "col" }, heading && word(heading))));
  const body = rows.map((cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, cell))));
  return make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
}

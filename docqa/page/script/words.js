// The page's own words, in the language of the browser where there is a file of it.
const KNOWN = ["en", "de"];
const chosen = navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => KNOWN.includes(tag)) ?? "en";
const words = await (await fetch(`/page/words/${chosen}.json`)).json();

export const language = chosen;
export const languageNames = new Intl.DisplayNames([chosen], { type: "language" });

export function word(key, values = {}) {
  const text = words[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

// `key` for one thing, `keyMany` for any other number of them.
export function counted(key, count) {
  return word(count === 1 ? key : `${key}Many`, { count: count.toLocaleString(chosen) });
}

const PLACES = { word: "textContent", label: "ariaLabel", hint: "placeholder", title: "title" };

export function fill() {
  document.documentElement.lang = chosen;
  for (const [name, property] of Object.entries(PLACES)) {
    for (const node of document.querySelectorAll(`[data-${name}]`)) node[property] = word(node.dataset[name]);
  }
}

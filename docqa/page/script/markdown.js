// What a language model writes is Markdown: shown by markdown-it, cleaned by DOMPurify, both loaded only then.
import { make } from "./dom.js";

let tools;

async function loaded() {
  tools ??= Promise.all([import("/page/vendor/markdown-it.js"), import("/page/vendor/purify.js")]);
  const [{ default: MarkdownIt }] = await tools;
  return { parser: new MarkdownIt({ html: false, linkify: false }), purify: globalThis.DOMPurify };
}

// A node with the text; `marked` makes of a piece of text what stands in its place.
export async function written(text, marked) {
  const { parser, purify } = await loaded();
  const fragment = purify.sanitize(parser.render(text), { RETURN_DOM_FRAGMENT: true, FORBID_TAGS: ["img", "style", "form", "input"], FORBID_ATTR: ["style", "id", "class"] });
  const texts = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT), nodes = [];
  while (texts.nextNode()) nodes.push(texts.currentNode);
  for (const node of nodes) if (/\[\d+\]/.test(node.data)) node.replaceWith(...marked(node.data));
  for (const link of fragment.querySelectorAll("a")) Object.assign(link, { target: "_blank", rel: "noopener noreferrer" });
  return make("div", { className: "markdown" }, fragment);
}

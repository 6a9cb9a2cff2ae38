// A conversation as a file: Markdown, or one HTML file that holds its evidence and needs nothing else.
import { $, save } from "./dom.js";
import { nameOf } from "./library.js";
import { current } from "./talk.js";
import { language, word } from "./words.js";

const title = () => $("talk-title").textContent;
const fileName = (suffix) => `${title().replace(/[^\p{L}\p{N} ._-]+/gu, " ").trim().slice(0, 80) || "DocQA"}.${suffix}`;
const permalink = ({ doc_id, page_number, source_chunk }) =>
  `${location.origin}/#/doc/${doc_id}/page/${page_number}?${new URLSearchParams({ quote: source_chunk.slice(0, 200) })}`;
const place = (source) => nameOf(source.doc_id) + word("onPage", { number: source.page_number });

export function asMarkdown() {
  const turns = current().map(({ question, answer, sources }) => {
    const cited = sources.map((source) => {
      const quote = source.source_chunk.split("\n").map((line) => `> ${line}`).join("\n");
      return `[${source.id}] [${place(source).replace(/[[\]]/g, "\\$&")}](${permalink(source)})\n\n${quote}`;
    });
    return [`## ${question.replace(/\s+/g, " ")}`, answer, ...cited].join("\n\n");
  });
  save(fileName("md"), new Blob([`# ${title()}\n\n${turns.join("\n\n")}\n`], { type: "text/markdown" }));
}

const STYLE = "body{font:16px/1.55 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}p,blockquote{white-space:pre-wrap}blockquote{border-inline-start:3px solid #999;margin-inline:0;padding-inline-start:1rem;color:#444}";
const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

// As a text: a document made here would be under the policy of this page.
export function asHtml() {
  const turns = current().map(({ question, answer, sources }) => {
    const cited = sources.map((source) => `<p><a href="${escaped(permalink(source))}">[${source.id}] ${escaped(place(source))}</a></p>\n<blockquote>${escaped(source.source_chunk)}</blockquote>`);
    return [`<h2>${escaped(question)}</h2>`, `<p>${escaped(answer)}</p>`, ...cited].join("\n");
  });
  const head = `<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">\n<title>${escaped(title())}</title>\n<style>${STYLE}</style>`;
  const body = [`<h1>${escaped(title())}</h1>`, ...turns].join("\n");
  save(fileName("html"), new Blob([`<!doctype html>\n<html lang="${language}">\n<head>\n${head}\n</head>\n<body>\n${body}\n</body>\n</html>\n`], { type: "text/html" }));
}

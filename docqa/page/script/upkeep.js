// Settings: languages of text recognition, storage, and what `doctor` finds.
import { button, make, option } from "./dom.js";
import { bytes } from "./pulls.js";
import { table } from "./tables.js";
import { call } from "./server.js";
import { language, languageNames, word } from "./words.js";

const nameOf = ({ iso, name }) => (iso ? languageNames.of(iso) : name);

export function recognitionContent({ here, available, rapid, command }) {
  const names = [...here.map(nameOf), ...(rapid ? [word("rapid")] : [])];
  const line = make("pre", { tabIndex: 0 });
  const choose = make("select", { ariaLabel: word("addLanguage") }, ...available.map((entry) => option(entry.code, `${nameOf(entry)}, ${bytes(entry.size)}`)).sort((one, other) => one.text.localeCompare(other.text, language)));
  const show = () => { line.textContent = `${command} ${choose.value}`; };
  choose.onchange = show;
  show();
  const more = available.length ? [make("p", { className: "hint" }, word("addLanguageHow")), choose, line] : [];
  return [make("p", {}, names.length ? word("readsLanguages", { names: names.join(", ") }) : word("readsNone")), ...more];
}

// What the account keeps, and, where this key may see it, what the disk holds.
export function storageContent(own, disk) {
  const within = (value, most) => most ? word("ofMost", { value, most }) : value;
  const count = (number) => number.toLocaleString(language);
  const rows = [
    [word("documents"), within(count(own.documents), own.most_documents && count(own.most_documents))],
    [word("originals"), within(bytes(own.bytes), own.most_bytes && bytes(own.most_bytes))],
    [word("bases"), within(count(own.knowledge_bases), own.most_knowledge_bases && count(own.most_knowledge_bases))],
  ];
  if (!disk) return [table(["yours", ""], rows)];
  const parts = ["database", "originals", "indexes", "unused", "free"].map((part) => [word(`disk_${part}`), bytes(disk[part])]);
  return [table(["yours", ""], rows), table(["allAccounts", ""], parts)];
}

export function doctorContent() {
  const list = make("ul", { className: "findings" });
  const look = button(word("examine"), async () => {
    list.replaceChildren(make("li", { className: "hint" }, word("examining")));
    try {
      list.replaceChildren(...(await call("POST", "/v1/api/machine/doctor")).map(finding));
    } catch (error) {
      list.replaceChildren(make("li", { className: "fault" }, error.message));
    }
  });
  return [make("p", { className: "hint" }, word("examineHint")), look, make("div", { role: "status" }, list)];
}

function finding({ what, state, remedy, needed }) {
  const mark = word(!remedy ? "fine" : needed ? "needed" : "worthKnowing");
  const line = make("li", {}, make("strong", {}, `${mark}: ${what}`), ` ${state}`);
  if (remedy) line.append(make("small", { className: needed ? "fault" : "" }, remedy));
  return line;
}

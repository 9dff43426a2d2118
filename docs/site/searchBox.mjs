/**
 * The search box of the site, on guides and in the API reference: opens by a click on `[data-search]`, by Ctrl+K or `/`, and loads
 * the index then.
 *
 * @module
 */
import { loadIndex, search } from "./search.mjs";

const site = new URL(".", import.meta.url);

const dialog = document.createElement("dialog");
dialog.className = "search";
dialog.setAttribute("aria-label", "Search guides and API");
dialog.innerHTML = `
  <input type="search" placeholder="Search guides and API" aria-label="Search guides and API" autocomplete="off" spellcheck="false"
    role="combobox" aria-expanded="true" aria-controls="search-results">
  <div id="search-results" role="listbox" aria-label="Results"></div>
  <p role="status"></p>`;
const input = /** @type {HTMLInputElement} */ (dialog.querySelector("input"));
const list = /** @type {HTMLDivElement} */ (dialog.querySelector("div"));
const status = /** @type {HTMLParagraphElement} */ (dialog.querySelector("p"));

/** @type {Promise<ReturnType<typeof loadIndex>> | undefined} */
let loading;
const load = async () => {
  const response = await fetch(new URL("search.json", site));
  if (!response.ok) throw new Error(`${response.status}`);
  return loadIndex(await response.text());
};

/** @param {import("minisearch").SearchResult} result @param {number} number */
const itemOf = ({ id, kind, page, title }, number) => {
  const link = document.createElement("a");
  link.href = new URL(id, site).href;
  // The guides' router takes links without a target.
  if (kind === "api") link.target = "_self";
  link.id = `search-result-${number}`;
  link.setAttribute("role", "option");
  const from = document.createElement("small");
  from.textContent = page === title ? "Guide" : page;
  link.append(title, from);
  return link;
};

let chosen = 0;
/** @param {number} number */
const choose = (number) => {
  const links = [...list.querySelectorAll("a")];
  chosen = Math.max(0, Math.min(number, links.length - 1));
  links.forEach((link, index) =>
    link.setAttribute("aria-selected", String(index === chosen))
  );
  links[chosen]?.scrollIntoView({ block: "nearest" });
  input.setAttribute("aria-activedescendant", links[chosen]?.id ?? "");
};

const show = async () => {
  const query = input.value;
  try {
    const index = await (loading ??= load());
    // Another letter was typed meanwhile.
    if (query !== input.value) return;
    const results = search(index, query);
    list.replaceChildren(...results.map(itemOf));
    status.textContent = query.trim() !== "" && results.length === 0
      ? "Nothing found"
      : "";
    choose(0);
  } catch {
    loading = undefined;
    status.textContent = "The index did not load";
  }
};

const open = () => {
  if (!dialog.isConnected) document.body.append(dialog);
  if (!dialog.open) dialog.showModal();
  input.select();
  void show();
};

input.addEventListener("input", () => void show());
dialog.addEventListener("keydown", (event) => {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step !== 0) choose(chosen + step);
  // The first Escape would only clear the input.
  else if (event.key === "Escape") dialog.close();
  else if (event.key === "Enter") list.querySelectorAll("a")[chosen]?.click();
  else return;
  event.preventDefault();
});
dialog.addEventListener("click", ({ target }) => {
  if (target === dialog || (target instanceof Element && target.closest("a"))) {
    dialog.close();
  }
});
document.addEventListener("click", ({ target }) => {
  if (target instanceof Element && target.closest("[data-search]")) open();
});
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof Element &&
    event.target.closest("input, textarea, [contenteditable]");
  if (
    (event.key === "k" && (event.ctrlKey || event.metaKey)) ||
    (event.key === "/" && !isTyping)
  ) {
    event.preventDefault();
    open();
  }
});

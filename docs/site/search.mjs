/**
 * The search of the site: one index of guides, by section, and of the API reference, by name. The page loads it as a file; the
 * build and `tests/docs/search.test.ts` ask it the questions of `questions.mjs`.
 *
 * @module
 */
import MiniSearch from "minisearch";

/**
 * A place that a search finds.
 *
 * @typedef {object} Place
 * @property {string} id its address below the root of the site
 * @property {string} page title of the guide, or name of the module
 * @property {string} title of the section, or the exported name
 * @property {string} about what the guide's list says of it; only at the guide's beginning
 * @property {string} text
 * @property {"guide" | "api"} kind
 */

/** Words that a question has and an answer need not have. */
const stopWords = new Set(
  "a an and are at be by can do does for from how i if in into is it my of on one or so that the this to use using want what when where which with you your"
    .split(" "),
);

/** Words of questions, and the ones that these pages use. @type {Readonly<Record<string, ReadonlyArray<string>>>} */
const synonyms = {
  abort: ["termination", "cancel"],
  allow: ["policy"],
  approve: ["approval"],
  backpressure: ["back", "pressure"],
  bucket: ["s3"],
  capture: ["output"],
  docker: ["containers"],
  env: ["environment"],
  error: ["failures"],
  exit: ["failures"],
  fail: ["failures"],
  install: ["getting", "started"],
  kill: ["termination"],
  llm: ["agents", "model"],
  log: ["journals"],
  may: ["allowed", "policy"],
  mock: ["testing"],
  parallel: ["concurrency"],
  password: ["secrets"],
  pipe: ["pipelines"],
  podman: ["containers"],
  postgres: ["postgresql"],
  prompt: ["terminals"],
  pty: ["terminals"],
  record: ["journals"],
  remote: ["ssh"],
  restrict: ["policy"],
  serverless: ["edge"],
  stop: ["termination"],
  stream: ["output"],
  timeout: ["termination"],
  token: ["secrets"],
  tty: ["terminals"],
  untrusted: ["isolation"],
  wasm: ["sandbox", "wasi"],
  zx: ["coming"],
};

/** The stem of a word, as far as plural and verb endings go. @param {string} word */
const stem = (word) =>
  word.length < 4
    ? word
    : word.replace(/(?:ies|y|ations?|ating|ated?|ings?|ions?|ed|es|e|s)$/, "");

/** The words of a text; of a name in camel case also its parts. @param {string} text */
const tokenize = (text) =>
  (text.match(/[A-Za-z0-9$]+/g) ?? []).flatMap((word) => {
    const parts = word.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
    return parts.length > 1 ? [word, ...parts] : [word];
  });

/** @param {string} word */
const processTerm = (word) => {
  const lower = word.toLowerCase();
  return stopWords.has(lower) ? null : stem(lower);
};

/** @type {import("minisearch").Options<Place>} */
const options = {
  fields: ["title", "page", "about", "text"],
  storeFields: ["title", "page", "kind"],
  tokenize,
  processTerm,
  searchOptions: {
    boost: { title: 4, page: 4, about: 6 },
    prefix: (term) => term.length > 2,
    fuzzy: (term) => term.length > 5 ? 0.2 : false,
    weights: { prefix: 0.3, fuzzy: 0.1 },
    boostDocument: (_id, _term, stored) =>
      stored?.["kind"] === "guide" ? 1 : 0.25,
    // Words that were already expanded.
    tokenize: (text) =>
      tokenize(text).flatMap((
        word,
      ) => [
        word,
        ...synonyms[stem(word.toLowerCase())] ?? synonyms[word.toLowerCase()] ??
          [],
      ]),
  },
};

/** @param {ReadonlyArray<Place>} places */
export const makeIndex = (places) => {
  const index = new MiniSearch(options);
  index.addAll(places);
  return index;
};

/** @param {string} json of an index */
export const loadIndex = (json) => MiniSearch.loadJSON(json, options);

/** Whether a query is a name of the API, which then comes first. @param {string} query @param {import("minisearch").SearchResult} result */
const isNamed = (query, { kind, title }) =>
  kind === "api" && title.toLowerCase() === query.trim().toLowerCase();

/** Sections of one guide among the results. */
const maxSections = 2;

/**
 * The best places for a question.
 *
 * @param {import("minisearch").default<Place>} index
 * @param {string} query
 * @param {number} [limit]
 */
export const search = (index, query, limit = 12) => {
  /** @type {Map<string, number>} */
  const sections = new Map();
  const results = index.search(query);
  return [
    ...results.filter((result) => isNamed(query, result)),
    ...results.filter((result) => !isNamed(query, result)),
  ]
    .filter(({ kind, page }) => {
      const count = (sections.get(page) ?? 0) + 1;
      sections.set(page, count);
      return kind === "api" || count <= maxSections;
    })
    .slice(0, limit);
};

/** The address that VitePress gives a heading. @param {string} heading */
const anchorOf = (heading) =>
  heading.normalize("NFKD").toLowerCase().replace(/[^\w\s-]/g, " ").trim()
    .replace(/[\s_-]+/g, "-").replace(/^(\d)/, "_$1");

/**
 * The sections of a guide.
 *
 * @param {import("./guides.mjs").Guide} guide
 * @param {string} markdown
 * @returns {ReadonlyArray<Place>}
 */
export const guidePlaces = ({ about, file, title }, markdown) => {
  const page = file.replace(/\.md$/, ".html");
  return markdown.replace(/```[\s\S]*?```/g, (code) => code.replace(/^#/gm, ""))
    .split(/^(?=#{1,3} )/m).map((section) => {
      const [, level = "", heading = ""] = /^(#+) (.*)$/m.exec(section) ?? [];
      const name = heading.replaceAll("`", "");
      const isFirst = level === "#";
      return {
        id: isFirst ? page : `${page}#${anchorOf(name)}`,
        page: title,
        title: name,
        about: isFirst ? about : "",
        text: section.slice(section.indexOf("\n")),
        kind: /** @type {const} */ ("guide"),
      };
    });
};

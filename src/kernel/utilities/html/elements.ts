/** Lists the elements of HTML that have rules. Source: HTML Living Standard "Optional tags"; turndown 7. */

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

export const blocks: ReadonlySet<string> = words(
  "address article aside audio blockquote body canvas center dd dir div dl dt fieldset figcaption figure form frameset h1 h2 " +
    "h3 h4 h5 h6 header hgroup hr html isindex li main menu nav noframes noscript ol output p pre section table tbody td tfoot " +
    "th thead tr ul",
)
export const voids: ReadonlySet<string> = words(
  "area base br col command embed hr img input keygen link meta param source track wbr",
)
/** Elements whose content is left out. */
export const removed: ReadonlySet<string> = words("footer iframe noembed noframes script style template xmp")
export const marks: ReadonlyMap<string, string> = new Map([["b", "**"], ["em", "_"], ["i", "_"], ["strong", "**"]])

/** Elements that an element ends, up to those of the second list. */
const ends: ReadonlyMap<string, readonly [ended: ReadonlySet<string>, scope: ReadonlySet<string>]> = new Map([
  ["li", [words("li"), words("ol ul menu dir")]],
  ["dd", [words("dd dt"), words("dl")]],
  ["dt", [words("dd dt"), words("dl")]],
  ["tr", [words("tr"), words("table")]],
  ["td", [words("td th"), words("tr table")]],
  ["th", [words("td th"), words("tr table")]],
  ["option", [words("option"), words("select")]],
])
const paragraph = [words("p"), words("button table td th li blockquote")] as const

/** The elements that the start of another one ends, up to those of a scope. */
export const endedBy = (
  name: string,
): ReadonlyArray<readonly [ended: ReadonlySet<string>, scope: ReadonlySet<string>]> =>
  [ends.get(name), blocks.has(name) ? paragraph : undefined].filter((rule) => rule !== undefined)

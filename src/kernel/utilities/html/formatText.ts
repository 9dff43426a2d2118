/** Formats texts, addresses and code so that Markdown shows them as they are. Source: the rules of turndown 7. */

const escapes: ReadonlyArray<readonly [RegExp, string]> = [
  [/[\\*`[\]_]/g, "\\$&"],
  [/^(?:-|\+ |=+|#{1,6} |~~~|>)/, "\\$&"],
  [/^(\d+)\. /, "$1\\. "],
]

export const escapeText = (text: string): string => escapes.reduce((all, [from, to]) => all.replace(from, to), text)

export const formatAddress = (url: string): string => {
  const escaped = url.replace(/[<>()]/g, "\\$&")
  return escaped.includes(" ") ? `<${escaped}>` : escaped
}

/** An attribute without its empty lines. */
export const joinLines = (text: string): string =>
  text.split("\n").map((line) => line.trim()).filter((line) => line !== "").join("\n")

export const formatTitle = (title: string | undefined): string =>
  title === undefined || title === "" ? "" : ` "${joinLines(title).replaceAll('"', '\\"')}"`

/** Code within a line, between as many backquotes as it does not have in a row. */
export const formatCode = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim()
  const runs = new Set(Array.from(line.matchAll(/`+/g), ([ticks]) => ticks.length))
  let size = 1
  while (runs.has(size)) size++
  const space = line.startsWith("`") || line.endsWith("`") ? " " : ""
  const ticks = "`".repeat(size)
  return `${ticks}${space}${line}${space}${ticks}`
}

const runLength = (line: string, letter: string): number => {
  let length = 0
  while (line[length] === letter) length++
  return length
}

/** The lines of a block of code, between fences that are longer than those in it. */
export const formatCodeBlock = (text: string, language: string, letter: string): ReadonlyArray<string> => {
  const lines = text.replace(/^\n|\n$/g, "").split("\n")
  const longest = lines.reduce((most, line) => Math.max(most, runLength(line, letter)), 0)
  const fence = letter.repeat(Math.max(3, longest + 1))
  return [fence + language, ...lines, fence]
}

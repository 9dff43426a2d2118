/**
 * Takes the examples out of the documentation: the fenced blocks of JSDoc in the sources, of README.md and of `docs`.
 *
 * The words after the opening fence say what becomes of a block. `ts` runs as a module on every runtime and is
 * type-checked; `ts deno`, `ts bun`, `ts node` run only there; `ts no-run` is only type-checked. `sh run` runs by the
 * shell in the checkout. Others are left alone.
 *
 * An example shows its output: in a comment behind the `console.log`, in lines of comments below it, or at the example's
 * end. `…` in a line is any text, alone it is any lines. Empty lines do not count.
 *
 * @module
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * @typedef {object} Example
 * @property {string} file where it stands, relative to the checkout
 * @property {number} line of its first line there
 * @property {"ts" | "sh"} language
 * @property {ReadonlyArray<string>} words what stands behind the language
 * @property {string} code
 */

export const root = fileURLToPath(new URL("..", import.meta.url))

/**
 * The fenced blocks of one file.
 *
 * @param {string} file
 * @param {string} text
 * @returns {ReadonlyArray<Example>}
 */
export const examplesOf = (file, text) => {
  // In a source a block is part of a comment, whose every line begins with a star.
  const prefix = file.endsWith(".ts") ? /^\s*\* ?/ : /^/
  /** @type {Array<Example>} */
  const found = []
  /** @type {{ language: string, words: ReadonlyArray<string>, line: number, code: Array<string> } | undefined} */
  let open
  text.split("\n").forEach((raw, index) => {
    const line = prefix.test(raw) ? raw.replace(prefix, "") : undefined
    const fence = line?.match(/^```(.*)$/)?.[1]
    if (open !== undefined) {
      if (fence === undefined && line !== undefined) {
        open.code.push(line)
        return
      }
      if (open.language === "ts" || open.language === "sh") {
        found.push({ file, line: open.line, language: open.language, words: open.words, code: open.code.join("\n") })
      }
      open = undefined
    } else if (fence !== undefined) {
      const [language = "", ...words] = fence.trim().split(/\s+/)
      open = { language, words, line: index + 2, code: [] }
    }
  })
  return found
}

/** A statement that prints, in the form that the formatter gives it. */
const printing = /^(\s*)(?:.*\) |else )?(?:yield\* |await )?[cC]onsole\.log\(/
const lineComment = /^\s*\/\/ ?(.*)$/

/**
 * The lines of output that an example shows.
 *
 * @param {string} code
 * @returns {ReadonlyArray<string>}
 */
export const shownOutput = (code) => {
  const lines = code.trimEnd().split("\n")
  /** @type {Array<string>} */
  const shown = []
  /** The comments from a line on; returns the line after them. */
  const take = (/** @type {number} */ index) => {
    for (; index < lines.length; index++) {
      const [, text] = lineComment.exec(lines[index] ?? "") ?? []
      if (text === undefined) break
      shown.push(text)
    }
    return index
  }
  let next = 0
  for (let index = 0; index < lines.length; index++) {
    const [, indent] = printing.exec(lines[index] ?? "") ?? []
    if (indent === undefined) continue
    if (!/\);?(?:\s+\/\/ .*)?$/.test(lines[index] ?? "")) {
      index = lines.findIndex((line, at) =>
        at > index && line.startsWith(indent) && /^\S*\)/.test(line.slice(indent.length))
      )
      if (index < 0) throw new Error(`the end of a console.log is not found:\n${code}`)
    }
    const [, text] = /\);?\s+\/\/ (.*)$/.exec(lines[index] ?? "") ?? []
    if (text === undefined) index = take(index + 1) - 1
    else shown.push(text)
    next = index + 1
  }
  const end = lines.findLastIndex((line) => !lineComment.test(line)) + 1
  if (end >= next && /\.log\b/.test(code)) take(end)
  return shown
}

/**
 * Whether printed text is what an example shows.
 *
 * @param {ReadonlyArray<string>} shown
 * @param {string} printed
 */
export const isShown = (shown, printed) => {
  const patterns = shown.filter((line) => line.trim() !== "").map((line) =>
    line.trim() === "…" ? "(?:.*\n)*" : `${RegExp.escape(line.trimEnd()).replaceAll("…", ".*")}\n`
  )
  return new RegExp(`^${patterns.join("")}$`).test(printed.replace(/[ \t]+$/gm, "").replace(/^\n+|\n+(?=\n)/g, ""))
}

/** @returns {ReadonlyArray<Example>} */
export const allExamples = () =>
  ["mod.ts", "README.md", "AGENTS.npm.md", ...pages(), ...sourceFiles(join(root, "src")).map((file) => `src/${file}`)]
    .filter((file) => existsSync(join(root, file)))
    .flatMap((file) => examplesOf(file, readFileSync(join(root, file), "utf8")))

const pages = () => readdirSync(join(root, "docs")).filter((file) => file.endsWith(".md")).map((file) => `docs/${file}`)

/** @param {string} folder */
const sourceFiles = (folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts"))
    .sort()

/** @param {Example} example */
export const nameOf = ({ file, line }) => `${file.replace(/\.\w+$/, "").replaceAll("/", "-")}-${line}.ts`

/**
 * Writes examples as modules into a folder of the checkout, so that they resolve packages as its own files do.
 *
 * @param {string} name of the folder, under `.cache/examples`
 * @param {ReadonlyArray<Example>} examples
 */
export const writeExamples = (name, examples) => {
  const folder = join(root, ".cache", "examples", name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const example of examples) {
    // A block without an import would be a script, and share its names with others.
    writeFileSync(join(folder, nameOf(example)), `${example.code}\nexport {}\n`)
  }
  return folder
}

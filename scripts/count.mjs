/**
 * Counts the lines of `src` by module: all, code, doc comments, other comments, blank:
 * `npm run count`.
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const kinds = /** @type {const} */ (["all", "code", "docs", "comments", "blank"])

/** @typedef {Record<typeof kinds[number] | "files", number>} Count */
/** @returns {Count} */
const zero = () => ({ files: 0, all: 0, code: 0, docs: 0, comments: 0, blank: 0 })

/** @param {string} text @returns {Count} */
const countText = (text) => {
  const count = { ...zero(), files: 1 }
  /** @type {"docs" | "comments" | undefined} */
  let inside
  for (const line of text.trimEnd().split("\n").map((each) => each.trim())) {
    count.all++
    const opened = inside ?? (/^\/\*\*/.test(line) ? "docs" : /^\/\*/.test(line) ? "comments" : undefined)
    if (opened !== undefined) {
      count[opened]++
      inside = line.includes("*/") ? undefined : opened
    } else if (line === "") count.blank++
    else if (line.startsWith("//")) count.comments++
    else count.code++
  }
  return count
}

/** @param {Count} to @param {Count} from */
const add = (to, from) => {
  for (const kind of /** @type {const} */ (["files", ...kinds])) to[kind] += from[kind]
}

const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "src", "mod.ts"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n").filter((file) => /\.ts$/.test(file))

/** @type {Map<string, Count>} */
const modules = new Map()
const total = zero()
for (const file of files) {
  const count = countText(readFileSync(join(root, file), "utf8"))
  const name = /^src\/(leaves\/[^/]+|[^/]+)\//.exec(file)?.[1] ?? file
  const module = modules.get(name) ?? zero()
  modules.set(name, module)
  add(module, count)
  add(total, count)
}

const columns = /** @type {const} */ (["files", ...kinds])

/** @param {string} name @param {Count | undefined} count */
const row = (name, count) =>
  name.padEnd(20) + columns.map((column) => String(count?.[column] ?? column).padStart(10)).join("")
console.log(row("", undefined))
for (const [name, count] of [...modules].sort(([, a], [, b]) => b.all - a.all)) console.log(row(name, count))
console.log(row("total", total))

/** Implements the `tree` utility. */
import { compareStrings, textToBinary } from "../../binaryString.ts"
import { errnoText } from "../../Errno.ts"
import { formatMode } from "../../modes.ts"
import { FileType, type Stat } from "../../Stat.ts"
import { strftime } from "../../strftime.ts"
import type { Program } from "../../System.ts"
import { compileGlob } from "../shared/compileGlob.ts"
import { formatSize } from "../shared/quantities.ts"
import { isUtf8Locale } from "../../isUtf8Locale.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { joinPath } from "../shared/paths.ts"

const maxTreeDepth = 512

interface Node {
  readonly name: string
  readonly path: string
  readonly stat: Stat
  readonly children: ReadonlyArray<Node>
  readonly error?: string
}

/**
 * `tree [-adfinrstpFh] [-L LEVEL] [-P PATTERN] [-I PATTERN] [--noreport] [--dirsfirst] [DIRECTORY]...`: lists trees.
 * Source: tree(1).
 */
export const tree: Program = defineUtility(
  "tree",
  "a d f i L: P: I: F p s h D r t U noreport dirsfirst filelimit: prune Q charset: gitignore",
  async (io) => {
    if (io.has("gitignore") || io.has("filelimit")) io.fail("--gitignore and --filelimit are not supported")
    if (io.has("L") && !/^[1-9][0-9]*$/.test(io.value("L") ?? "")) {
      io.err.putText("tree: Invalid level, must be greater than 0.\n")
      return 1
    }
    const printer = new TreePrinter(io)
    for (const path of io.operandsOr(".")) await printer.printRoot(path)
    if (!io.has("noreport")) printer.report()
    return printer.hasFailed ? 2 : 0
  },
  { withoutEffect: { n: "output has no colors" } },
)

class TreePrinter {
  readonly #io: UtilityIo
  readonly #maxDepth: number
  readonly #isIncluded: (name: string) => boolean
  readonly #isExcluded: (name: string) => boolean
  readonly #marks: readonly [branch: string, last: string, line: string]
  #directories = 0
  #files = 0
  hasFailed = false

  constructor(io: UtilityIo) {
    this.#io = io
    this.#maxDepth = Math.min(maxTreeDepth, Number(io.value("L") ?? maxTreeDepth))
    const globs = (option: string): ReadonlyArray<(name: string) => boolean> =>
      io.values(option).flatMap((value) => value.split("|")).map((pattern) => compileGlob(pattern))
    const [included, excluded] = [globs("P"), globs("I")]
    this.#isIncluded = (name) => included.length === 0 || included.some((test) => test(name))
    this.#isExcluded = (name) => excluded.some((test) => test(name))
    const charset = io.value("charset")
    const utf8 = charset === undefined ? isUtf8Locale(io.system.env) : /utf-?8/i.test(charset)
    // tree(1) writes no-break spaces after its lines, in UTF-8.
    this.#marks = utf8 ? ["├── ", "└── ", "│\u00a0\u00a0 "] : ["|-- ", "`-- ", "|   "]
  }

  async printRoot(path: string): Promise<void> {
    const io = this.#io
    const stat = io.system.stat(path)
    if (typeof stat === "number" || stat.type !== FileType.directory) {
      io.print(`${path}  [error opening dir]\n`)
      this.hasFailed = true
      return
    }
    const children = await this.#read(path, 1)
    if (children.length > 0) this.#directories++
    io.print(`${this.#details(stat)}${this.#show(path)}${this.#mark(stat, path)}\n`)
    await this.#printChildren(children, "")
  }

  report(): void {
    const [directories, files] = [this.#directories, this.#files]
    const count = `${directories} director${directories === 1 ? "y" : "ies"}`
    this.#io.print(`\n${count}${this.#io.has("d") ? "" : `, ${files} file${files === 1 ? "" : "s"}`}\n`)
  }

  async #read(path: string, depth: number): Promise<ReadonlyArray<Node>> {
    const io = this.#io
    await io.flushAndYield()
    const entries = io.system.list(path)
    if (typeof entries === "number") return []
    const nodes: Array<Node> = []
    for (const { name } of entries) {
      if ((name.startsWith(".") && !io.has("a")) || this.#isExcluded(name)) continue
      const inside = joinPath(path, name)
      const stat = io.system.stat(inside, { follow: false })
      if (typeof stat === "number") continue
      const isDirectory = stat.type === FileType.directory
      if (isDirectory ? false : io.has("d") || !this.#isIncluded(name)) continue
      const children = isDirectory && depth < this.#maxDepth ? await this.#read(inside, depth + 1) : []
      if (io.has("prune") && isDirectory && children.length === 0) continue
      const listed = isDirectory ? io.system.list(inside) : 0
      const error = typeof listed === "number" && listed < 0 ? errnoText(listed) : undefined
      nodes.push({ children, name, path: inside, stat, ...(error === undefined ? {} : { error }) })
    }
    return this.#sort(nodes)
  }

  #sort(nodes: Array<Node>): ReadonlyArray<Node> {
    const io = this.#io
    if (io.has("U")) return nodes
    const byName = (a: Node, b: Node): number => compareStrings(textToBinary(a.name), textToBinary(b.name))
    nodes.sort((a, b) => (io.has("t") ? Number(a.stat.modified - b.stat.modified) : 0) || byName(a, b))
    if (io.has("r")) nodes.reverse()
    const isDirectory = ({ stat }: Node): number => Number(stat.type === FileType.directory)
    return io.has("dirsfirst") ? nodes.sort((a, b) => isDirectory(b) - isDirectory(a)) : nodes
  }

  #details(stat: Stat): string {
    const io = this.#io
    const parts: Array<string> = []
    if (io.has("p")) parts.push(formatMode(stat))
    if (io.has("h")) parts.push(formatSize(stat.size).padStart(4))
    else if (io.has("s")) parts.push(`${stat.size}`.padStart(11))
    if (io.has("D")) parts.push(strftime("%b %e %H:%M", stat.modified, io.zone))
    return parts.length === 0 ? "" : `[${parts.join(" ")}]  `
  }

  #mark(stat: Stat, name: string): string {
    if (!this.#io.has("F")) return ""
    if (stat.type === FileType.directory) return name.endsWith("/") ? "" : "/"
    return stat.type === FileType.regularFile && (stat.mode & 0o111) !== 0 ? "*" : ""
  }

  /** A name; the locale of C escapes blanks and what is not ASCII. */
  #show(name: string): string {
    if (this.#io.has("Q")) return `"${name}"`
    if (isUtf8Locale(this.#io.system.env)) return name
    return Array.from(textToBinary(name), (letter) => {
      const code = letter.charCodeAt(0)
      return letter === " " || letter === "\\"
        ? `\\${letter}`
        : code > 126 || code < 32
        ? `\\${code.toString(8).padStart(3, "0")}`
        : letter
    }).join("")
  }

  async #printChildren(nodes: ReadonlyArray<Node>, indent: string): Promise<void> {
    const io = this.#io
    const [branch, end, line] = this.#marks
    for (const [at, { children, error, name, path, stat }] of nodes.entries()) {
      const isLast = at === nodes.length - 1
      const isDirectory = stat.type === FileType.directory
      const target = stat.type === FileType.symbolicLink ? io.system.readlink(path) : undefined
      const followed = typeof target === "string" ? io.system.stat(path) : undefined
      if (isDirectory || (typeof followed === "object" && followed.type === FileType.directory)) this.#directories++
      else this.#files++
      const quoted = this.#show(io.has("f") ? path : name)
      const arrow = typeof target === "string" ? ` -> ${target}` : ""
      const mark = this.#mark(stat, name)
      io.print(`${io.has("i") ? "" : indent + (isLast ? end : branch)}${this.#details(stat)}${quoted}${arrow}${mark}`)
      io.print(error === undefined ? "\n" : `  [error opening dir]\n`)
      await this.#printChildren(children, indent + (isLast ? "    " : line))
      if (io.out.isFull) await io.out.flush()
    }
  }
}

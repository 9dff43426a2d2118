/** Implements the `diff` utility. */
import { binaryToText, compareStrings, textToBinary } from "../../binaryString.ts"
import { errnoText } from "../../Errno.ts"
import { Regex } from "../../regex/Regex.ts"
import { FileType, type Stat } from "../../Stat.ts"
import type { Program } from "../../System.ts"
import { compileGlob } from "../shared/compileGlob.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { baseName, joinPath } from "../shared/paths.ts"
import { type DiffFile, normalizeLines, quoteName, readDiffFile } from "./DiffFile.ts"
import type { Change } from "../../diff/compareTexts.ts"
import { diffLines } from "../../diff/diffLines.ts"
import { DiffPrinter, FunctionNames } from "./DiffPrinter.ts"
import { formatOptions, formatSpec, printFormatted } from "./lineFormats.ts"
import { printSideBySide } from "./printSideBySide.ts"

const spec =
  "normal q|brief s|report-identical-files c C: context:: u U: unified:: e|ed n|rcs y|side-by-side W|width: " +
  "left-column suppress-common-lines p|show-c-function F|show-function-line: label|L: t|expand-tabs T|initial-tab " +
  "suppress-blank-empty r|recursive no-dereference N|new-file unidirectional-new-file x|exclude: X|exclude-from: " +
  "i|ignore-case E|ignore-tab-expansion Z|ignore-trailing-space b|ignore-space-change w|ignore-all-space " +
  "B|ignore-blank-lines I|ignore-matching-lines: a|text strip-trailing-cr color:: d|minimal " +
  formatSpec

const maxTreeDepth = 512
const maxContext = 1_000_000

/** `diff [OPTION]... FILE1 FILE2`: prints the differences between files or directories. Source: diff(1). */
export const diff: Program = defineUtility("diff", spec, async (io) => {
  const [one = "", two = ""] = io.operands
  if (io.operands.length < 2) io.failUsage(`missing operand${one === "" ? "" : ` after '${one}'`}`)
  const color = io.value("color") ?? ""
  if (!["", "auto", "never", "always"].includes(color)) io.failUsage(`invalid color '${color}'`)
  return await new Comparison(io).compare(one, two)
}, {
  errorExitCode: 2,
  maxOperands: 2,
  rewriteArgs: (args) => rewriteContext(args),
  withoutEffect: { "H|speed-large-files": "the time of a comparison is bounded" },
})

/** Rewrites `-u3` and `-u -3` to `-U 3`. Without `-u` and `-c` the number has no effect. */
const rewriteContext = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const isUnified = args.some((arg) => /^-[a-zA-Z]*u[0-9]*$|^--unified/.test(arg))
  const isContext = args.some((arg) => /^-[a-zA-Z]*c[0-9]*$|^--context/.test(arg))
  return args.flatMap((arg, at) => {
    const old = /^-([a-zA-Z]*)([0-9]+)$/.exec(arg)
    if (old === null || /^-[a-zA-Z]*[UCWxXIFL]/.test(arg) || /^-[UCWxXIFL]$/.test(args[at - 1] ?? "")) return [arg]
    const [, flags = "", lines = ""] = old
    return [...(flags === "" ? [] : [`-${flags}`]), ...(isUnified ? ["-U", lines] : isContext ? ["-C", lines] : [])]
  })
}

class Comparison {
  readonly #io: UtilityIo
  readonly #isExcluded: (name: string) => boolean
  readonly #ignored: Regex | undefined
  readonly #functions: Regex | undefined
  readonly #style: string
  readonly #context: number
  #excludes: ReadonlyArray<(name: string) => boolean> | undefined

  constructor(io: UtilityIo) {
    this.#io = io
    this.#isExcluded = (name) => this.#excludes?.some((test) => test(name)) === true
    const ignored = io.values("I")
    this.#ignored = ignored.length === 0 ? undefined : new Regex(ignored)
    const functions = [...io.values("F"), ...(io.has("p") ? ["^[[:alpha:]$_]"] : [])]
    this.#functions = functions.length === 0 ? undefined : new Regex(functions)
    const given = io.lastOf("normal", "u", "U", "unified", "c", "C", "context", "e", "n", "y", ...formatOptions)
    const style = given?.[0] ?? (io.has("p") ? "c" : "normal")
    this.#style = formatOptions.includes(style) ? "format" : style === "normal" ? style : (style[0] ?? "").toLowerCase()
    const context = io.lastOf("U", "C", "unified", "context")?.[1] || "3"
    if (!/^[0-9]+$/.test(context)) io.fail(`invalid context length '${context}'`)
    if (io.value("color") === "always" && !["normal", "u"].includes(this.#style)) {
      io.fail("--color=always is supported for normal and unified output")
    }
    this.#context = Math.min(maxContext, Number(context))
  }

  async #readExcludes(): Promise<void> {
    const io = this.#io
    const patterns = [...io.values("x")]
    for (const path of io.values("X")) {
      const input = io.openInput(path)
      if (input === undefined) return io.exit(2)
      await io.forEachLine([input], (line) => void patterns.push(binaryToText(line)))
      input.close()
    }
    this.#excludes = patterns.map((pattern) => compileGlob(pattern))
  }

  /** Compares the operands. Returns the exit code. */
  async compare(one: string, two: string): Promise<number> {
    const io = this.#io
    await this.#readExcludes()
    // Standard input can be read once: it is the same as itself.
    if (one === "-" && two === "-") return this.#reportSame([one, two])
    const [first, second] = [one, two].map((path) => path !== "-" && io.isDirectory(path))
    if (first && second) return await this.#compareDirectories(one, two, 0)
    // A directory stands for the file in it with the name of the other operand.
    const paths = [
      first ? joinPath(one, baseName(two)) : one,
      second ? joinPath(two, baseName(one)) : two,
    ] as const
    const missing = paths.map((path) => path !== "-" && typeof io.system.stat(path) === "number")
    const isOptional = (at: 0 | 1): boolean =>
      (io.has("N") || (at === 0 && io.has("unidirectional-new-file"))) && missing[1 - at] === false
    const [left, right] = paths.map((path) => path === "-" ? io.system.fstat(0) : io.system.stat(path))
    if (
      typeof left === "object" && typeof right === "object" &&
      [left, right].some(({ type }) => type === FileType.directory)
    ) {
      return this.#reportTypes(paths, [left, right])
    }
    return await this.#compareFiles(paths[0], paths[1], [isOptional(0), isOptional(1)])
  }

  async #compareFiles(
    one: string,
    two: string,
    isOptional: readonly [boolean, boolean],
    heading = "",
  ): Promise<number> {
    const io = this.#io
    const [first, second] = [
      await readDiffFile(io, one, isOptional[0]),
      await readDiffFile(io, two, isOptional[1]),
    ]
    if (first === undefined || second === undefined) return 2
    const names = [one, two]
    if (first.isBinary || second.isBinary) {
      if (first.lines.join("") === second.lines.join("")) return this.#reportSame(names)
      io.print(`${io.has("q") ? "Files" : "Binary files"} ${names.join(" and ")} differ\n`)
      return 1
    }
    const changes = await diffLines(
      normalizeLines(io, first.lines),
      normalizeLines(io, second.lines),
      () => io.flushAndYield(),
    )
    const ignored = await this.#findIgnored(changes, first, second)
    const isIgnored = (change: Change): boolean => ignored.has(change)
    const isSame = changes.every(isIgnored)
    if (isSame && !(this.#style === "y" || this.#style === "format")) return this.#reportSame(names)
    if (io.has("q")) {
      if (isSame) return this.#reportSame(names)
      io.print(`Files ${names.join(" and ")} differ\n`)
      return 1
    }
    if (!isSame) io.print(heading)
    await this.#print({ changes, isIgnored, one: first, two: second })
    return isSame ? this.#reportSame(names) : 1
  }

  #reportSame(names: ReadonlyArray<string>): number {
    if (this.#io.has("s")) this.#io.print(`Files ${names.join(" and ")} are identical\n`)
    return 0
  }

  async #print(input: Parameters<DiffPrinter["normal"]>[0]): Promise<void> {
    const io = this.#io
    const printer = new DiffPrinter(io, this.#context)
    const names = this.#functions === undefined ? undefined : new FunctionNames(io, input.one.lines, this.#functions)
    if (this.#style === "u") await printer.unified(input, names)
    else if (this.#style === "c") await printer.context(input, names)
    else if (this.#style === "e") printer.ed(input)
    else if (this.#style === "n") printer.rcs(input)
    else if (this.#style === "y") await printSideBySide(io, input)
    else if (this.#style === "format") await printFormatted(io, input)
    else printer.normal(input)
  }

  /** The changes all of whose lines are blank (`-B`) or match (`-I`). */
  async #findIgnored(changes: ReadonlyArray<Change>, one: DiffFile, two: DiffFile): Promise<ReadonlySet<Change>> {
    const io = this.#io
    const found = new Set<Change>()
    if (!io.has("B") && this.#ignored === undefined) return found
    const blank = io.has("w") || io.has("b") || io.has("Z") ? /^\s*$/ : /^\n?$/
    for (const change of changes) {
      const lines = [...one.lines.slice(change.a, change.aEnd), ...two.lines.slice(change.b, change.bEnd)]
      let isIgnored = true
      for (const line of lines) {
        isIgnored = (io.has("B") && blank.test(line)) ||
          (this.#ignored !== undefined && await this.#ignored.test(io.system, line.replace(/\n$/, "")))
        if (!isIgnored) break
      }
      if (isIgnored) found.add(change)
    }
    return found
  }

  async #compareDirectories(one: string, two: string, depth: number): Promise<number> {
    const io = this.#io
    await io.flushAndYield()
    const [first, second] = [this.#list(one), this.#list(two)]
    if (first === undefined || second === undefined || depth > maxTreeDepth) return 2
    const names = [...new Set([...first, ...second])].map((name) => [name, textToBinary(name)] as const)
      .sort((a, b) => compareStrings(a[1], b[1]))
    let code = 0
    for (const [name] of names) {
      if (!this.#isExcluded(name)) {
        code = Math.max(
          code,
          await this.#compareEntries(joinPath(one, name), joinPath(two, name), name, [one, two], depth),
        )
      }
    }
    return code
  }

  #list(path: string): ReadonlySet<string> | undefined {
    const entries = this.#io.system.list(path)
    if (typeof entries !== "number") return new Set(entries.map(({ name }) => name))
    this.#io.printError(`${path}: ${errnoText(entries)}`)
    return undefined
  }

  async #compareEntries(
    one: string,
    two: string,
    name: string,
    directories: readonly [string, string],
    depth: number,
  ): Promise<number> {
    const io = this.#io
    const follow = !io.has("no-dereference")
    const stats = [io.system.stat(one, { follow }), io.system.stat(two, { follow })] as const
    const [first, second] = stats
    const isMissing = stats.map((stat) => typeof stat === "number")
    const isNew = isMissing[0] === true && (io.has("N") || io.has("unidirectional-new-file"))
    if (isMissing.includes(true) && !isNew && !(isMissing[1] === true && io.has("N"))) {
      io.print(`Only in ${directories[isMissing[0] === true ? 1 : 0]}: ${name}\n`)
      return 1
    }
    const isDirectory = stats.map((stat) => typeof stat === "object" && stat.type === FileType.directory)
    if (isDirectory.includes(true) && (isDirectory[0] === isDirectory[1] || isMissing.includes(true))) {
      if (isMissing.includes(true)) return await this.#compareNewDirectory(one, two, isMissing[0] === true, depth)
      if (io.has("r")) return await this.#compareDirectories(one, two, depth + 1)
      io.print(`Common subdirectories: ${one} and ${two}\n`)
      return 0
    }
    if (typeof first === "object" && typeof second === "object") {
      const links = [first, second].map(({ type }) => type === FileType.symbolicLink)
      if (links[0] && links[1]) return this.#compareLinks(one, two)
      const isSame = first.device === second.device && first.inode === second.inode
      if (first.type !== second.type || (first.type === FileType.unknown && !isSame)) {
        return this.#reportTypes([one, two], [first, second])
      }
      if (first.type === FileType.unknown) return 0
    }
    const options = commandOptions(io).map((option) => `${quoteName(option)} `).join("")
    const heading = `diff ${options}${quoteName(one)} ${quoteName(two)}\n`
    return await this.#compareFiles(one, two, [isMissing[0] === true, isMissing[1] === true], heading)
  }

  #reportTypes(paths: readonly [string, string], stats: readonly [Stat, Stat]): number {
    const [one, two] = stats.map(typeName)
    this.#io.print(`File ${paths[0]} is a ${one} while file ${paths[1]} is a ${two}\n`)
    return 1
  }

  #compareLinks(one: string, two: string): number {
    const { system } = this.#io
    if (system.readlink(one) === system.readlink(two)) return 0
    this.#io.print(`Symbolic links ${one} and ${two} differ\n`)
    return 1
  }

  /** With -N, a missing directory counts as empty. */
  async #compareNewDirectory(one: string, two: string, isFirstMissing: boolean, depth: number): Promise<number> {
    const io = this.#io
    if (!io.has("r") || depth > maxTreeDepth) {
      io.print(`Common subdirectories: ${one} and ${two}\n`)
      return 0
    }
    let code = 0
    const names = [...this.#list(isFirstMissing ? two : one) ?? []].map((name) => [name, textToBinary(name)] as const)
    for (const [name] of names.sort((a, b) => compareStrings(a[1], b[1]))) {
      if (this.#isExcluded(name)) continue
      const paths = [joinPath(one, name), joinPath(two, name)] as const
      code = Math.max(code, await this.#compareEntries(paths[0], paths[1], name, [one, two], depth + 1))
    }
    return code
  }
}

const typeName = ({ size, type }: Stat): string =>
  type === FileType.directory
    ? "directory"
    : type === FileType.symbolicLink
    ? "symbolic link"
    : type === FileType.regularFile
    ? size === 0 ? "regular empty file" : "regular file"
    : type === FileType.unknown
    ? "fifo"
    : "character special file"

/** The arguments that are not operands, for the heading of each file in a directory. */
const commandOptions = (io: UtilityIo): ReadonlyArray<string> => {
  const operands = [...io.operands]
  return io.system.args.slice(1).filter((arg) => {
    if (arg !== operands[0]) return true
    operands.shift()
    return false
  })
}

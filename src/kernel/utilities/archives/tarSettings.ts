/** Resolves the options of `tar`. */
import { binaryToText, textToBinary } from "../../binaryString.ts"
import { yieldNow } from "../../Coroutine.ts"
import { compileGlob } from "../shared/compileGlob.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import { parseTime } from "../shared/parseTime.ts"
import { joinPath } from "../shared/paths.ts"
import { stripEnd } from "../shared/strip.ts"
import { substitute } from "../sed/substitute.ts"
import { splitUnsafePrefix } from "./splitUnsafePrefix.ts"
import { type NameTransform, parseTransform } from "./parseTransform.ts"

export const spec: string =
  "c|create x|extract|get t|list r|append f|file: C|directory: z|gzip|gunzip|ungzip v|verbose O|to-stdout " +
  "p|preserve-permissions|same-permissions no-same-permissions k|keep-old-files skip-old-files T|files-from: " +
  "X|exclude-from: exclude: exclude-vcs strip-components: wildcards no-wildcards a|auto-compress h|dereference " +
  "no-recursion m|touch o|no-same-owner j|bzip2 J|xz Z|compress zstd owner: group: mtime: sort: numeric-owner " +
  "format: H: P|absolute-names remove-files hard-dereference null no-null transform|xform:"

const withValue = "fCTXH"

/** Rewrites the old style, letters without a dash whose values follow in order: `xzf a.tgz`. */
export const rewriteArgs = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [letters = "-", ...rest] = args
  if (letters.startsWith("-")) return args
  const values = rest.slice(0, [...letters].filter((letter) => withValue.includes(letter)).length)
  const left = rest.slice(values.length)
  return [
    ...[...letters].flatMap((letter) => {
      const value = withValue.includes(letter) ? values.shift() : undefined
      return value === undefined ? [`-${letter}`] : [`-${letter}`, value]
    }),
    ...left,
  ]
}

/** An operand, with the directory of the `-C` before it. */
export interface TarOperand {
  readonly name: string
  readonly directory: string
}

/** Other processes run after this many comparisons of a name with a pattern. */
const testsPerTurn = 1_024

/** Prefixes that are warned about. */
const maxWarnings = 100

const compressions = [["j", "bzip2"], ["J", "xz"], ["Z", "compress"], ["zstd", "zstd"]] as const

export class TarSettings {
  readonly #io: UtilityIo
  /** The archive: a path, or `-`. */
  readonly archive: string
  readonly stripComponents: number
  #warned = new Set<string>()
  readonly #transforms: ReadonlyArray<NameTransform>
  readonly #excludes: Array<(name: string) => boolean> = []

  constructor(io: UtilityIo) {
    this.#io = io
    for (const [option, name] of compressions) {
      if (!io.has(option)) continue
      const isRead = option === "j" || option === "J"
      if (!isRead) io.fail(`${name} archives are not supported; gzip (-z) is`)
      if (io.has("c") || io.has("r")) io.fail(`${name} archives can only be read; write gzip (-z)`)
    }
    if (io.has("c") && io.has("o")) io.fail("option -o with -c, the format of Unix V7, is not supported")
    this.archive = io.value("f") ?? "-"
    this.#transforms = io.values("transform").map((expression) => parseTransform(io, expression))
    this.stripComponents = io.count("strip-components", 0, (text) => `${text}: Invalid number of elements`)
  }

  /** Reads the files of patterns. */
  async readExcludes(): Promise<void> {
    const io = this.#io
    const patterns = [...io.values("exclude")]
    if (io.has("exclude-vcs")) patterns.push(".git", ".gitignore", ".gitattributes", ".gitmodules", ".hg", ".svn")
    for (const file of io.values("X")) for (const name of await this.#readNames(file)) patterns.push(name)
    for (const pattern of patterns) this.#excludes.push(compileGlob(stripEnd(pattern, "/")))
  }

  async #readNames(file: string): Promise<ReadonlyArray<string>> {
    const io = this.#io
    const hasNulls = io.lastOf("null", "no-null")?.[0] === "null"
    const input = io.openInput(file, hasNulls ? 0 : 10)
    if (input === undefined) return io.exit(2)
    const lines = await io.readLines(input)
    input.close()
    return lines.map((line) => stripEnd(binaryToText(line), "\n")).filter((line) => line !== "")
  }

  /** The names on the command line and in the files of `-T`. */
  async operands(): Promise<ReadonlyArray<TarOperand>> {
    const io = this.#io
    const directories = io.options.all.filter(([name]) => name === "C")
    const directoryAt = (index: number): string =>
      directories.filter(([, , before]) => before <= index)
        .reduce((at, [, to]) => to.startsWith("/") || at === "" ? to : joinPath(at, to), "")
    const all = io.operands.map((name, index) => ({ name, directory: directoryAt(index) }))
    for (const [option, file, before] of io.options.all) {
      if (option !== "T") continue
      for (const name of await this.#readNames(file)) all.push({ name, directory: directoryAt(before) })
    }
    return all
  }

  /** The directory into which members are extracted. */
  get directory(): string {
    return this.#io.values("C").reduce((at, to) => to.startsWith("/") || at === "" ? to : joinPath(at, to), "")
  }

  /** Whether a pattern of `--exclude` matches a part of the name that begins and ends at a slash. */
  async isExcluded(name: string): Promise<boolean> {
    if (this.#excludes.length === 0) return false
    const bare = stripEnd(name, "/")
    const starts = [0, ...Array.from(bare.matchAll(/\//g), ({ index }) => index + 1)]
    const ends = [...starts.slice(1).map((start) => start - 1), bare.length]
    let tests = 0
    for (const test of this.#excludes) {
      for (const start of starts) {
        if (ends.some((end) => end > start && test(bare.slice(start, end)))) return true
        tests += ends.length
        if (tests < testsPerTurn) continue
        tests = 0
        await yieldNow(this.#io.system)
      }
    }
    return false
  }

  /** Makes a name relative and without `..`, unless `-P` is given; warns once for each prefix that it removes. */
  safeName(path: string, what = "member names"): string {
    if (this.#io.has("P")) return path
    const [prefix, rest] = splitUnsafePrefix(path)
    if (prefix === "") return path
    const warning = `Removing leading \`${prefix}' from ${what}`
    if (!this.#warned.has(warning) && this.#warned.size <= maxWarnings) {
      this.#io.printError(this.#warned.size < maxWarnings ? warning : "Removing other prefixes; not all are shown")
      this.#warned.add(warning)
    }
    return rest
  }

  /** A name as the expressions of `--transform` change it. */
  async transform(name: string): Promise<string> {
    if (this.#transforms.length === 0) return name
    let text = textToBinary(name)
    for (const { pattern, substitution } of this.#transforms) {
      text = (await substitute(this.#io, pattern, text, substitution, true)).text
    }
    return binaryToText(text)
  }

  /** The time of `--mtime`. */
  get modified(): bigint | undefined {
    const io = this.#io
    const text = io.value("mtime")
    if (text === undefined) return undefined
    return parseTime(text, io.system.now(), io.zone) ?? io.fail(`Invalid date: ${text}`)
  }
}

/** The path of a name in a directory; `""` is the working directory. */
export const pathIn = (directory: string, name: string): string =>
  directory === "" || name.startsWith("/") ? name : joinPath(directory, name)

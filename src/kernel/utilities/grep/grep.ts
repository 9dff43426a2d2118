/** Implements the `grep`, `egrep` and `fgrep` utilities. */
import { FileType } from "../../Stat.ts"
import type { Program } from "../../System.ts"
import { binaryToText } from "../../binaryString.ts"
import { compileGlob } from "../shared/compileGlob.ts"
import { isUtf8Locale } from "../../isUtf8Locale.ts"
import { Regex } from "../../regex/Regex.ts"
import type { LinePattern, PerlPatternOptions } from "./PerlPattern.ts"
import { LineSearch, type SearchSettings } from "./LineSearch.ts"
import { defineUtility } from "../shared/defineUtility.ts"
import { walk } from "../shared/walk.ts"

/** The options, which `zgrep` has too. */
export const spec: string =
  "E|extended-regexp F|fixed-strings G|basic-regexp P|perl-regexp i|ignore-case y no-ignore-case " +
  "v|invert-match n|line-number c|count l|files-with-matches L|files-without-match o|only-matching q|quiet|silent " +
  "w|word-regexp x|line-regexp r|recursive R|dereference-recursive h|no-filename H|with-filename A|after-context: " +
  "B|before-context: C|context: e|regexp: f|file: m|max-count: s|no-messages b|byte-offset a|text z|null-data " +
  "Z|null include: exclude: exclude-dir: color:: colour:: I label: T|initial-tab " +
  "group-separator: no-group-separator d|directories: D|devices:"

export const withoutEffect: Readonly<Record<string, string>> = {
  "line-buffered": "output is written before each wait",
  "U|binary": "files are bytes",
}

/** Rewrites `-5` to `-C 5`. */
const rewriteArgs = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.map((arg, at) =>
    /^-[0-9]+$/.test(arg) && !args.slice(0, at).includes("--") && !/^-[efmABC]$/.test(args[at - 1] ?? "")
      ? `-C${arg.slice(1)}`
      : arg
  )

/** Loads the engine of Perl's patterns, which few scripts need. */
const makePerlPattern = async (pattern: string, options: PerlPatternOptions): Promise<LinePattern> =>
  new (await import("./PerlPattern.ts")).PerlPattern(pattern, options)

/** Makes a grep with a default style of patterns: extended, fixed or basic. */
const makeGrep = (name: string, defaultStyle: "E" | "F" | "G"): Program =>
  defineUtility(name, spec, async (io) => {
    const operands = [...io.operands]
    const patterns: Array<string> = []
    for (const [name, value] of io.options.all) {
      if (name === "e") { for (const pattern of value.split("\n")) patterns.push(pattern) }
      if (name !== "f") continue
      const input = io.openInput(value)
      if (input === undefined) return 2
      await io.forEachLine([input], (line) => void patterns.push(line))
      input.close()
    }
    const fromFile = io.has("f")
    if (!io.has("e") && !fromFile) {
      const first = operands.shift()
      if (first === undefined) return io.failUsage("no patterns were given")
      for (const pattern of first.split("\n")) patterns.push(pattern)
    }
    const color = io.lastOf("color", "colour")?.[1] ?? ""
    if (!["", "auto", "always", "never"].includes(color)) return io.fail(`invalid color '${color}'`)
    const utf8 = isUtf8Locale(io.system.env)
    const style = io.lastOf("E", "F", "G", "P")?.[0] ?? defaultStyle
    const end = io.terminator()
    const texts = fromFile ? patterns.map(binaryToText) : patterns
    const ignoreCase = (io.has("i") || io.has("y")) && !io.has("no-ignore-case")
    const whole = io.has("x") ? "line" : io.has("w") ? "word" : undefined
    if (style === "P" && texts.length !== 1) return io.fail("the -P option only supports a single pattern")
    const pattern = style === "P"
      ? await makePerlPattern(texts[0] ?? "", { ignoreCase, utf8, whole })
      : new Regex(texts, {
        extended: style === "E",
        loose: true,
        fixed: style === "F",
        ignoreCase,
        terminator: end,
        utf8,
        whole,
      })
    const directories = io.value("d") ?? "read"
    if (!["read", "skip", "recurse"].includes(directories)) {
      io.printError(`invalid argument ‘${directories}’ for ‘--directories’`)
      return 1
    }
    if (!["read", "skip"].includes(io.value("D") ?? "read")) return io.fail("unknown devices method")
    const recursive = io.has("r") || io.has("R") || directories === "recurse"
    const contextOf = (name: string): number =>
      io.count(io.has(name) ? name : "C", 0, (text) => `${text}: invalid context length argument`)
    const maxCount = Number(io.value("m") ?? "Infinity")
    if (Number.isNaN(maxCount)) return io.fail("invalid max count")
    const settings: SearchSettings = {
      after: contextOf("A"),
      before: contextOf("B"),
      groupSeparator: io.lastOf("group-separator", "no-group-separator")?.[0] === "no-group-separator"
        ? undefined
        : io.value("group-separator") ?? "--",
      skipped: { devices: io.value("D") === "skip", directories: directories === "skip" },
      isColored: color === "always",
      terminator: end,
      invert: io.has("v"),
      maxCount: maxCount < 0 ? Infinity : maxCount,
      showNames: io.has("H") ||
        (!io.has("h") &&
          (recursive ? operands.length !== 1 || io.isDirectory(operands[0] ?? "") : operands.length > 1)),
      pattern,
    }
    const search = new LineSearch(io, settings)
    const matcherOf = (option: string): (name: string) => boolean => {
      const tests = io.values(option).map((pattern) => compileGlob(pattern))
      return (name) => tests.some((test) => test(name))
    }
    const [isExcluded, isIncluded, skip] = [matcherOf("exclude"), matcherOf("include"), matcherOf("exclude-dir")]
    const isWanted = (name: string): boolean => !isExcluded(name) && (!io.has("include") || isIncluded(name))
    for (const path of operands.length === 0 ? [recursive ? "." : "-"] : operands) {
      if (!recursive || path === "-") await search.searchFile(path, path)
      else {
        const bare = operands.length === 0
        for await (const entry of walk(io, path, { follow: io.has("R"), skip })) {
          const { type } = entry.stat
          // Of the files that it finds itself, it reads only regular ones, because a FIFO may have no end.
          if (type === FileType.directory || (type !== FileType.regularFile && entry.depth > 0)) continue
          if (entry.depth === 0 || isWanted(entry.name)) {
            await search.searchFile(entry.path, bare ? entry.path.replace(/^\.\//, "") : entry.path)
          }
          if (search.done) break
        }
      }
      if (search.done) return 0
    }
    return io.exitCode === 2 ? 2 : search.found ? 0 : 1
  }, { rewriteArgs, errorExitCode: 2, withoutEffect })

/** `grep [OPTION]... PATTERNS [FILE]...`: prints the lines that match. Source: grep(1). */
export const grep: Program = makeGrep("grep", "G")

/** `egrep`: `grep -E`. */
export const egrep: Program = makeGrep("egrep", "E")

/** `fgrep`: `grep -F`. */
export const fgrep: Program = makeGrep("fgrep", "F")

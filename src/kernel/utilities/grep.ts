import type { Program } from "../System.ts"
import { binaryToText } from "../binaryString.ts"
import { compileGlob } from "./shared/compileGlob.ts"
import { isUtf8Locale } from "./shared/isUtf8Locale.ts"
import { compileRegex } from "../regex/Regex.ts"
import { LineSearch, type SearchSettings } from "./grep/LineSearch.ts"
import { utility, type UtilityIo } from "./shared/utility.ts"
import { walk } from "./shared/walk.ts"

const spec = "E|extended-regexp F|fixed-strings G|basic-regexp P|perl-regexp i|ignore-case y no-ignore-case " +
  "v|invert-match n|line-number c|count l|files-with-matches L|files-without-match o|only-matching q|quiet|silent " +
  "w|word-regexp x|line-regexp r|recursive R|dereference-recursive h|no-filename H|with-filename A|after-context: " +
  "B|before-context: C|context: e|regexp: f|file: m|max-count: s|no-messages b|byte-offset a|text z|null-data " +
  "Z|null include: exclude: exclude-dir: color:: colour:: line-buffered U|binary I binary-files: label: d:"

/** `grep -5` means `grep -C 5`. */
const rewrite = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.map((arg, at) =>
    /^-[0-9]+$/.test(arg) && !args.slice(0, at).includes("--") && !/^-[efmABC]$/.test(args[at - 1] ?? "")
      ? `-C${arg.slice(1)}`
      : arg
  )

/** A grep whose patterns are of a style unless an option says otherwise. */
const grepOf = (name: string, given: "E" | "F" | "G"): Program =>
  utility(name, spec, async (io) => {
    const operands = [...io.operands]
    const patterns: Array<string> = []
    for (const [name, value] of io.options.all) {
      if (name === "e") { for (const pattern of value.split("\n")) patterns.push(pattern) }
      if (name !== "f") continue
      const input = io.open(value)
      if (input === undefined) return 2
      for (let line = await input.line(); line !== undefined; line = await input.line()) patterns.push(line)
      input.close()
    }
    const fromFile = io.has("f")
    if (!io.has("e") && !fromFile) {
      const first = operands.shift()
      if (first === undefined) return io.misuse("no patterns were given")
      for (const pattern of first.split("\n")) patterns.push(pattern)
    }
    if (io.has("P")) return io.fail("Perl patterns (-P) are not built in")
    const utf8 = isUtf8Locale(io.system.env)
    const style = io.options.all.findLast(([name]) => /^[EFG]$/.test(name))?.[0] ?? given
    const end = io.has("z") ? 0 : 10
    const pattern = compileRegex(fromFile ? patterns.map(binaryToText) : patterns, {
      extended: style === "E",
      loose: true,
      fixed: style === "F",
      ignoreCase: (io.has("i") || io.has("y")) && !io.has("no-ignore-case"),
      terminator: end,
      utf8,
      whole: io.has("x") ? "line" : io.has("w") ? "word" : undefined,
    })
    if (typeof pattern === "string") return io.fail(pattern)
    const recursive = io.has("r") || io.has("R")
    const number = (name: string): number => {
      const text = io.value(name) ?? io.value("C") ?? "0"
      return /^[0-9]+$/.test(text) ? Number(text) : io.fail(`${text}: invalid context length argument`)
    }
    const most = Number(io.value("m") ?? "Infinity")
    if (Number.isNaN(most)) return io.fail("invalid max count")
    const plan: SearchSettings = {
      after: number("A"),
      before: number("B"),
      terminator: end,
      invert: io.has("v"),
      maxCount: most < 0 ? Infinity : most,
      showNames: io.has("H") ||
        (!io.has("h") && (recursive ? operands.length !== 1 || isFolder(io, operands[0]) : operands.length > 1)),
      pattern,
    }
    const search = new LineSearch(io, plan)
    const wanted = (name: string): boolean =>
      globs(io, "exclude").every((test) => !test(name)) &&
      (!io.has("include") || globs(io, "include").some((test) => test(name)))
    for (const path of operands.length === 0 ? [recursive ? "." : "-"] : operands) {
      if (!recursive || path === "-") await search.file(path, path)
      else {
        const bare = operands.length === 0
        const skip = globs(io, "exclude-dir")
        for await (
          const found of walk(io, path, {
            follow: io.has("R"),
            skip: (name) => skip.some((test) => test(name)),
          })
        ) {
          if (found.stat.type === 3 || (found.stat.type === 7 && found.depth > 0)) continue
          if (found.depth > 0 ? wanted(found.name) : true) {
            await search.file(found.path, bare ? found.path.replace(/^\.\//, "") : found.path)
          }
          if (search.done) break
        }
      }
      if (search.done) return 0
    }
    return io.status === 2 ? 2 : search.found ? 0 : 1
  }, { rewrite, trouble: 2 })

/** `grep [OPTION]... PATTERNS [FILE]...`: the lines that match. Source: grep(1). */
export const grep: Program = grepOf("grep", "G")

/** `egrep`: `grep -E`. */
export const egrep: Program = grepOf("egrep", "E")

/** `fgrep`: `grep -F`. */
export const fgrep: Program = grepOf("fgrep", "F")

const isFolder = (io: UtilityIo, path: string | undefined): boolean => {
  const stat = path === undefined ? undefined : io.system.stat(path)
  return path === undefined || (typeof stat === "object" && stat.type === 3)
}

const globs = (io: UtilityIo, option: string): ReadonlyArray<(name: string) => boolean> =>
  io.options.all.filter(([name]) => name === option).map(([, pattern]) => compileGlob(pattern))

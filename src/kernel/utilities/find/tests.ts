/** Parses the tests and options of `find`: `-name`, `-size`, `-mtime`, `-maxdepth` and others. Source: find(1). */
import { textToBinary } from "../../binaryString.ts"
import { Regex } from "../../regex/Regex.ts"
import { FileType, type Stat } from "../../Stat.ts"
import { compileGlob } from "../shared/compileGlob.ts"
import { changeMode, typeLetter } from "../../modes.ts"
import { linkTarget } from "./formatEntry.ts"
import { parseTime } from "../shared/parseTime.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import type { WalkEntry } from "../shared/walk.ts"
import type { ExpressionState, Primary } from "./Expression.ts"

const sizeUnits: Readonly<Record<string, number>> = { b: 512, c: 1, G: 2 ** 30, k: 1024, M: 2 ** 20, w: 2 }
const typeLetters: Readonly<Record<string, string>> = { b: "b", c: "c", d: "d", f: "-", l: "l", p: "p", s: "s" }
const minuteNanos = 60_000_000_000n
const dayNanos = minuteNanos * 1440n

const accessed = (stat: Stat): bigint => stat.accessed
const changed = (stat: Stat): bigint => stat.changed
const modified = (stat: Stat): bigint => stat.modified

/** Parses `+5`, `-5` or `5` to a comparison: above, below or equal. */
const parseComparison = (io: UtilityIo, name: string, text: string): (value: number) => boolean => {
  const match = /^([-+]?)([0-9]+(?:\.[0-9]+)?)$/.exec(text)
  if (match === null) return io.fail(`invalid argument ‘${text}’ to ‘${name}’`)
  const limit = Number(match[2])
  if (match[1] === "") return (value) => value === limit
  return match[1] === "+" ? (value) => value > limit : (value) => value < limit
}

const constant = (value: boolean): Primary => () => () => value

const byNumber = (valueOf: (stat: Stat) => number): Primary => ({ io, takeArgument }, name) => {
  const test = parseComparison(io, name, takeArgument(name))
  return ({ stat }) => test(valueOf(stat))
}

/** The end of today, from which `-daystart` counts. */
const endOfDay = (io: UtilityIo): bigint => parseTime("tomorrow 00:00", io.system.now(), io.zone) ?? io.system.now()

const byAge = (timeOf: (stat: Stat) => bigint, unitNanos: bigint): Primary => (state, name) => {
  const { io, takeArgument } = state
  const test = parseComparison(io, name, takeArgument(name))
  const now = state.fromDayEnd ? endOfDay(io) : io.system.now()
  return ({ stat }) => test(Number((now - timeOf(stat)) / unitNanos))
}

const newerThan = (timeOf: (stat: Stat) => bigint): Primary => ({ io, takeArgument }, name) => {
  const path = takeArgument(name)
  const reference = io.system.stat(path)
  if (typeof reference === "number") return io.fail(`‘${path}’`, reference)
  return ({ stat }) => timeOf(stat) > reference.modified
}

const statTimes: Readonly<Record<string, (stat: Stat) => bigint>> = { B: changed, a: accessed, c: changed, m: modified }

/** `-newerXY`: compares the time X with the time Y of a file, or with a time that is written out if Y is `t`. */
const newerBy: Primary = ({ io, takeArgument }, name) => {
  const text = takeArgument(name)
  const timeOf = statTimes[name[6] ?? ""] ?? modified
  if (name[7] === "t") {
    const limit = parseTime(text, io.system.now(), io.zone) ??
      io.fail(`I cannot figure out how to interpret ‘${text}’ as a date or time`)
    return ({ stat }) => timeOf(stat) > limit
  }
  const reference = io.system.stat(text)
  if (typeof reference === "number") return io.fail(`‘${text}’`, reference)
  const limit = (statTimes[name[7] ?? ""] ?? modified)(reference)
  return ({ stat }) => timeOf(stat) > limit
}

const isSameFile: Primary = ({ io, takeArgument }, name) => {
  const path = takeArgument(name)
  const reference = io.system.stat(path, { follow: io.operands.includes("-L") })
  if (typeof reference === "number") return io.fail(`‘${path}’`, reference)
  return ({ stat }) => stat.inode === reference.inode && stat.device === reference.device
}

const byGlob =
  (textOf: (entry: WalkEntry, io: UtilityIo) => string | undefined, ignoreCase = false): Primary =>
  ({ io, takeArgument }, name) => {
    const test = compileGlob(takeArgument(name), ignoreCase)
    return (entry) => {
      const text = textOf(entry, io)
      return text !== undefined && test(text)
    }
  }

const extendedTypes = ["posix-extended", "posix-egrep", "egrep", "awk", "posix-awk", "gnu-awk"]
const basicTypes = ["posix-basic", "posix-minimal-basic", "grep", "sed", "ed"]
const emacsTypes = ["emacs", "findutils-default"]

const setRegexType: Primary = (state, name) => {
  const type = state.takeArgument(name)
  if (extendedTypes.includes(type)) state.regexSyntax = "extended"
  else if (basicTypes.includes(type)) state.regexSyntax = "basic"
  else if (emacsTypes.includes(type)) state.regexSyntax = "emacs"
  else state.io.fail(`Unknown regular expression type ‘${type}’`)
  return () => true
}

/** Rewrites an expression of Emacs, in which `+` and `?` are operators and braces are not, to a basic one of GNU. */
const basicOfEmacs = (pattern: string): string =>
  pattern.replace(
    /\[\^?\]?[^\]]*\]|\\.|[+?]/gs,
    (part) => part === "+" || part === "?" ? `\\${part}` : /^\\[+?{}]$/.test(part) ? `[${part[1]}]` : part,
  )

const byRegex = (ignoreCase: boolean): Primary => ({ io, regexSyntax, takeArgument }, name) => {
  const options = { extended: regexSyntax === "extended", ignoreCase, utf8: true, whole: "line" } as const
  const text = takeArgument(name)
  const pattern = new Regex([regexSyntax === "emacs" ? basicOfEmacs(text) : text], options)
  return ({ path }) => pattern.test(io.system, textToBinary(path))
}

const byPermission = (bits: number): Primary => () => ({ stat }) =>
  (stat.mode & bits) !== 0 || stat.type === FileType.symbolicLink

const limitDepth = (limit: "minDepth" | "maxDepth"): Primary => (state, name) => {
  const depth = state.takeArgument(name)
  if (!/^[0-9]+$/.test(depth)) {
    state.io.fail(`Expected a positive decimal integer argument to ${name}, but got ‘${depth}’`)
  }
  state[limit] = Number(depth)
  return () => true
}

const byType: Primary = ({ io, takeArgument }, name) => {
  const letters = takeArgument(name).split(",").map((letter) =>
    typeLetters[letter] ?? io.fail(`Unknown argument to ${name}: ${letter}`)
  )
  if (name === "-type") return ({ stat }) => letters.includes(typeLetter(stat))
  // The type of a link's target; that of the link itself if it is dangling.
  return ({ path, stat }) => {
    const followed = io.system.stat(path)
    return letters.includes(typeLetter(typeof followed === "object" ? followed : stat))
  }
}

const bySize: Primary = ({ io, takeArgument }, name) => {
  const text = takeArgument(name)
  const match = /^([-+]?[0-9]+)([bckwMG]?)$/.exec(text)
  if (match === null) return io.fail(`invalid -size type \`${text}'`)
  const unit = sizeUnits[match[2] || "b"] ?? 512
  const test = parseComparison(io, name, match[1] ?? "")
  return ({ stat }) => test(Math.ceil((stat.type === FileType.directory ? 4096 : stat.size) / unit))
}

const isEmpty: Primary = ({ io }) => ({ path, stat }) => {
  if (stat.type === FileType.regularFile) return stat.size === 0
  const entries = stat.type === FileType.directory ? io.system.list(path) : undefined
  return typeof entries === "object" && entries.length === 0
}

const byMode: Primary = ({ io, takeArgument }, name) => {
  const text = takeArgument(name)
  const sign = /^[-/]/.exec(text)?.[0] ?? ""
  const bits = changeMode(text.slice(sign.length), 0, false, 0) ?? io.fail(`invalid mode ‘${text}’`)
  return ({ stat: { mode } }) =>
    sign === "" ? mode === bits : sign === "-" ? (mode & bits) === bits : bits === 0 || (mode & bits) !== 0
}

/** An option, which is true of every entry. */
const option = (set: (state: ExpressionState) => void): Primary => (state) => {
  set(state)
  return () => true
}

const setDepthFirst: Primary = (state) => {
  state.depthFirst = true
  return () => true
}

/** All tests and options. GNU options without an effect are true. */
export const tests: Readonly<Record<string, Primary>> = {
  "-amin": byAge(accessed, minuteNanos),
  "-anewer": newerThan(accessed),
  "-atime": byAge(accessed, dayNanos),
  "-cmin": byAge(changed, minuteNanos),
  "-cnewer": newerThan(changed),
  "-ctime": byAge(changed, dayNanos),
  "-daystart": option((state) => state.fromDayEnd = true),
  "-depth": setDepthFirst,
  "-empty": isEmpty,
  "-executable": byPermission(0o111),
  "-false": constant(false),
  "-follow": option((state) => state.follow = true),
  "-iname": byGlob(({ name }) => name, true),
  "-inum": byNumber((stat) => stat.inode),
  "-ipath": byGlob(({ path }) => path, true),
  "-iregex": byRegex(true),
  "-links": byNumber((stat) => stat.links),
  "-lname": byGlob((entry, io) => linkTarget(entry, io) || undefined),
  "-maxdepth": limitDepth("maxDepth"),
  "-mindepth": limitDepth("minDepth"),
  "-mmin": byAge(modified, minuteNanos),
  "-mount": option((state) => state.isOneVolume = true),
  "-mtime": byAge(modified, dayNanos),
  "-name": byGlob(({ name }) => name),
  "-newer": newerThan(modified),
  ...Object.fromEntries(
    [..."Bacm"].flatMap((one) => [..."Bacmt"].map((two) => [`-newer${one}${two}`, newerBy] as const)),
  ),
  "-noleaf": constant(true),
  "-path": byGlob(({ path }) => path),
  "-perm": byMode,
  "-readable": byPermission(0o444),
  "-regex": byRegex(false),
  "-regextype": setRegexType,
  "-samefile": isSameFile,
  "-size": bySize,
  "-true": constant(true),
  "-type": byType,
  "-wholename": byGlob(({ path }) => path),
  "-writable": byPermission(0o222),
  "-xdev": option((state) => state.isOneVolume = true),
  "-xtype": byType,
}

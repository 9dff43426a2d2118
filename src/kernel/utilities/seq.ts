/** Implements the `seq` utility, which prints a sequence of numbers. */
import type { Program } from "../System.ts"
import { textToBinary } from "../binaryString.ts"
import { formatFloating } from "../shell/builtins/formatNumber.ts"
import { defineUtility } from "./shared/defineUtility.ts"

const number = /^[ ]*[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/

/** Protects negative numbers from being parsed as options. */
const rewriteArgs = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const at = args.findIndex((arg, index) => number.test(arg) && !/^-[sf]$/.test(args[index - 1] ?? ""))
  return at < 0 || args.includes("--") ? args : [...args.slice(0, at), "--", ...args.slice(at)]
}

const countDecimals = (text: string): number => {
  const match = /\.([0-9]*)/.exec(text)
  return /e/i.test(text) ? 0 : match?.[1]?.length ?? 0
}

/** `seq [-w] [-s SEPARATOR] [-f FORMAT] [FIRST [STEP]] LAST`: prints a sequence of numbers. Source: seq(1). */
export const seq: Program = defineUtility("seq", "+s|separator: w|equal-width f|format:", async (io) => {
  const { out } = io
  for (const text of io.operands) if (!number.test(text)) io.failUsage(`invalid floating point argument: ‘${text}’`)
  const [a = "1", b, c] = io.operands
  const [first, step, last] = b === undefined ? ["1", "1", a] : c === undefined ? [a, "1", b] : [a, b, c]
  const digits = Math.max(countDecimals(first), countDecimals(step))
  // Counting in units of the smallest digit keeps rounding errors from adding up.
  const scale = 10 ** digits
  const from = Math.round(Number(first) * scale)
  const by = Math.round(Number(step) * scale)
  const to = Number(last) * scale * (1 + Number.EPSILON * Math.sign(by) * Math.sign(Number(last)))
  if (by === 0) return io.failUsage(`invalid Zero increment value: ‘${step}’`)
  const steps = Math.floor((to - from) / by)
  const minus = first.trim().startsWith("-") && from === 0 ? "-" : ""
  const plain = (value: number): string => {
    const sign = value < 0 ? "-" : value === 0 && minus !== "" ? minus : ""
    return sign + (digits === 0 ? `${Math.abs(value)}` : (Math.abs(value) / scale).toFixed(digits))
  }
  const format = io.value("f")
  const directive = format === undefined
    ? undefined
    : /^((?:[^%]|%%)*)%([-+ 0#']*)([0-9]*)(?:\.([0-9]+))?([fgeE])((?:[^%]|%%)*)$/s.exec(format)
  if (directive === null) return io.fail(`format ‘${format ?? ""}’ has no % directive`)
  // The maximum of Number.prototype.toFixed.
  if (Number(directive?.[4] ?? "0") > 100) return io.fail(`the precision of ‘${format ?? ""}’ is above 100`)
  const width = io.has("w") ? Math.max(plain(from).length, plain(Math.round(Number(last) * scale)).length) : 0
  const show = (value: number): string => {
    if (directive !== undefined) {
      const [, before = "", flags = "", width = "", precision = "6", kind = "g", after = ""] = directive
      const spec = { flags, width: Math.min(Number(width), 4096), precision: Number(precision) }
      return (before + formatFloating(value / scale, kind, spec) + after).replaceAll("%%", "%")
    }
    const text = plain(value)
    return width === 0
      ? text
      : text[0] === "-"
      ? `-${text.slice(1).padStart(width - 1, "0")}`
      : text.padStart(width, "0")
  }
  const separator = textToBinary(io.value("s") ?? "\n")
  const simple = directive === undefined && width === 0 && digits === 0 && minus === ""
  for (let at = 0; at <= steps; at++) {
    if (at > 0) out.putBinary(separator)
    if (simple) out.putBinary(`${from + at * by}`)
    else out.putText(show(from + at * by))
    if (out.isFull) {
      await io.flushAndYield()
    }
  }
  if (steps >= 0) out.putText("\n")
}, { minOperands: 1, maxOperands: 3, rewriteArgs })

/** Implements the `date` utility, which prints the current or a given time in a format. */
import { Errno } from "../Errno.ts"
import type { Program } from "../System.ts"
import { maxFormatLength, strftime } from "../strftime.ts"
import { parseTime } from "./shared/parseTime.ts"
import { defineUtility, type UtilityIo } from "./shared/defineUtility.ts"

/**
 * `date [-u] [-d TEXT | -r FILE | -f FILE] [-I[UNIT]] [-R] [+FORMAT]`: prints a time. It cannot be set. Source: date(1).
 */
export const date: Program = defineUtility(
  "date",
  "u|utc|universal d|date: r|reference: f|file: I|iso-8601:: R|rfc-email rfc-3339: s|set:",
  async (io) => {
    const { system } = io
    if (io.has("s")) return io.fail("cannot set date", -Errno.EPERM)
    const zone = io.has("u") ? "UTC" : io.zone
    const format = selectFormat(io)
    if (format.length > maxFormatLength) return io.fail(`the format is longer than ${maxFormatLength} characters`)
    const show = (time: bigint): void => io.print(`${strftime(format, time, zone)}\n`)
    const read = (text: string): void => {
      const time = parseTime(text, system.now(), zone)
      if (time === undefined) io.warn(`invalid date ‘${text}’`)
      else show(time)
    }
    const [reference, text, file] = [io.value("r"), io.value("d"), io.value("f")]
    if (reference !== undefined) {
      const stat = system.stat(reference)
      if (typeof stat === "number") return io.fail(reference, stat)
      show(stat.modified)
    } else if (file !== undefined) {
      const input = io.openInput(file)
      if (input === undefined) return
      await io.forEachLine([input], read)
      input.close()
    } else if (text !== undefined) read(text)
    else show(system.now())
  },
)

const selectFormat = (io: UtilityIo): string => {
  const [operand, second] = io.operands
  if (second !== undefined) return io.failExtraOperand(second)
  if (operand !== undefined) return operand[0] === "+" ? operand.slice(1) : io.fail(`invalid date ‘${operand}’`)
  if (io.has("R")) return "%a, %d %b %Y %H:%M:%S %z"
  const iso = io.value("I")
  const given = iso ?? io.value("rfc-3339")
  if (given === undefined) return "%a %b %e %H:%M:%S %Z %Y"
  const clock: Readonly<Record<string, string>> = {
    hours: "%H",
    minutes: "%H:%M",
    ns: iso === undefined ? "%H:%M:%S.%N" : "%H:%M:%S,%N",
    seconds: "%H:%M:%S",
  }
  const units = ["date", "seconds", "ns", ...(iso === undefined ? [] : ["hours", "minutes"])]
  // A unit may be abbreviated: `-Is`.
  const unit = given === "" ? "date" : units.find((each) => each.startsWith(given))
  if (unit === "date") return "%Y-%m-%d"
  const time = clock[unit ?? ""] ?? io.fail(`invalid argument ‘${given}’`)
  return iso === undefined ? `%Y-%m-%d ${time}%:z` : `%Y-%m-%dT${time}%:z`
}

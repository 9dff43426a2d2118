/** Implements the `touch` utility, which sets the times of files and creates missing ones. */
import { Errno } from "../Errno.ts"
import type { Program } from "../System.ts"
import { parseTime } from "./shared/parseTime.ts"
import { defineUtility, type UtilityIo } from "./shared/defineUtility.ts"

/**
 * `touch [-acmh] [-d TIME] [-t STAMP] [-r FILE] FILE...`: sets times and creates empty files. Source: touch(1).
 */
export const touch: Program = defineUtility(
  "touch",
  "a c|no-create m d|date: t: r|reference: h|no-dereference time:",
  (io) => {
    const { system } = io
    if (io.operands.length === 0) return io.failUsage("missing file operand")
    const [accessed, modified] = parseTimes(io)
    const only = io.has("a") || io.has("m") || io.has("time")
    const access = !only || io.has("a") || /^(atime|access|use)$/.test(io.value("time") ?? "")
    const modify = !only || io.has("m") || /^(mtime|modify)$/.test(io.value("time") ?? "")
    for (const path of io.operands) {
      const follow = !io.has("h")
      const there = system.stat(path, { follow })
      if (typeof there === "number") {
        if (io.has("c")) continue
        if (!follow) {
          io.warn(`setting times of '${path}'`, there)
          continue
        }
        const fd = path.endsWith("/") ? -Errno.ENOENT : system.open(path, { create: true, write: true })
        if (fd < 0) {
          io.warn(`cannot touch '${path}'`, fd)
          continue
        }
        system.close(fd)
      }
      const result = system.setTimes(path, access ? accessed : undefined, modify ? modified : undefined, { follow })
      if (result < 0) io.warn(`setting times of '${path}'`, result)
    }
  },
  { withoutEffect: { f: "as in touch(1)" } },
)

/** The access and modification times that the options ask for. */
const parseTimes = (io: UtilityIo): readonly [bigint, bigint] => {
  const reference = io.value("r")
  if (reference !== undefined) {
    const stat = io.system.stat(reference)
    if (typeof stat === "number") return io.fail(`failed to get attributes of '${reference}'`, stat)
    return [stat.accessed, stat.modified]
  }
  const now = io.system.now()
  const stamp = io.value("t")
  const text = stamp === undefined ? io.value("d") : convertStamp(io, stamp, now)
  if (text === undefined) return [now, now]
  const time = parseTime(text, now, io.zone) ?? io.fail(`invalid date format ‘${stamp ?? text}’`)
  return [time, time]
}

/** Converts `[[CC]YY]MMDDhhmm[.ss]` to ISO 8601. */
const convertStamp = (io: UtilityIo, stamp: string, now: bigint): string => {
  const match = /^([0-9]{2})?([0-9]{2})?([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})(?:\.([0-9]{2}))?$/.exec(stamp)
  if (match === null) return io.fail(`invalid date format ‘${stamp}’`)
  // A single pair of digits before the month is the year without its century.
  const short = match[1] !== undefined && match[2] === undefined ? match[1] : match[2]
  const century = match[2] === undefined ? undefined : match[1]
  const thisYear = new Date(Number(now / 1_000_000n)).getUTCFullYear()
  const year = short === undefined ? `${thisYear}` : (century ?? (Number(short) < 69 ? "20" : "19")) + short
  return `${year}-${match[3] ?? ""}-${match[4] ?? ""} ${match[5] ?? ""}:${match[6] ?? ""}:${match[7] ?? "00"}`
}

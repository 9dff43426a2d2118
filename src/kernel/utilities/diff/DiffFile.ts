/** Reads a file to compare, and the lines by which it is compared. */
import { Errno } from "../../Errno.ts"
import { strftime } from "../../strftime.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"

export interface DiffFile {
  readonly path: string
  /** Its lines with their newlines; the last may lack its own. */
  readonly lines: ReadonlyArray<string>
  readonly isBinary: boolean
  /** Name and time for the headers of the context and unified formats. */
  readonly title: string
}

/** The locale of POSIX has its own format of time in context diffs. */
const formatTime = (io: UtilityIo, time: bigint): string => {
  const { env } = io.system
  const locale = env.get("LC_ALL") || env.get("LC_TIME") || env.get("LANG") || "C"
  const isPosix = /^(C|POSIX)$/.test(locale) &&
    io.lastOf("u", "U", "unified", "c", "C", "context")?.[0][0]?.toLowerCase() === "c"
  return strftime(isPosix ? "%a %b %e %H:%M:%S %Y" : "%Y-%m-%d %H:%M:%S.%N %z", time, io.zone)
}

/** Reads a file; `undefined` after a failure, which is reported. A missing one is empty if `isOptional`. */
export const readDiffFile = async (
  io: UtilityIo,
  path: string,
  isOptional: boolean,
): Promise<DiffFile | undefined> => {
  const stat = path === "-" ? io.system.fstat(0) : io.system.stat(path)
  if (stat === -Errno.ENOENT && isOptional) {
    return { path, lines: [], isBinary: false, title: `${quoteName(path)}\t${formatTime(io, 0n)}` }
  }
  const input = io.openInput(path)
  if (input === undefined) return undefined
  await input.fill()
  const isBinary = !io.has("a") && input.held.subarray(0, 32_768).includes(0)
  const lines = await io.readLines(input)
  input.close()
  if (input.failed) return undefined
  const time = typeof stat === "object" && path !== "-" ? stat.modified : io.system.now()
  const read = io.has("strip-trailing-cr") ? lines.map((line) => line.replace(/\r\n$/, "\n")) : lines
  return { path, isBinary, lines: read, title: `${quoteName(path)}\t${formatTime(io, time)}` }
}

/** Lines without the differences that options ignore. */
export const normalizeLines = (io: UtilityIo, lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [all, changes, trailing] = [io.has("w"), io.has("b"), io.has("Z")]
  const [tabs, cases] = [io.has("E"), io.has("i")]
  if (!(all || changes || trailing || tabs || cases)) return lines
  return lines.map((line) => {
    let text = cases ? line.toLowerCase() : line
    if (tabs) text = expandTabs(text)
    if (all) return text.replace(/\s+/g, "")
    if (changes) return text.replace(/\s+/g, " ").trimEnd()
    return trailing ? text.trimEnd() : text
  })
}

/** Expands tabs to the next multiple of eight columns. */
const expandTabs = (line: string): string => {
  let out = ""
  for (const part of line.split(/(\t)/)) out += part === "\t" ? " ".repeat(8 - out.length % 8) : part
  return out
}

/** A path for a heading: a path with blanks is quoted as in C. */
export const quoteName = (path: string): string => /[\s"]/.test(path) ? JSON.stringify(path) : path

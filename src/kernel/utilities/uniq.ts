/** Implements the `uniq` utility, which prints repeated adjacent lines once, or counts or selects them. */
import type { Program } from "../System.ts"
import { defineUtility } from "./shared/defineUtility.ts"

/** `uniq [-cdDuiz] [-f N] [-s N] [-w N] [INPUT [OUTPUT]]`: prints repeated lines once. Source: uniq(1). */
export const uniq: Program = defineUtility(
  "uniq",
  "c|count d|repeated D u|unique i|ignore-case f|skip-fields: s|skip-chars: w|check-chars: z|zero-terminated",
  async (io) => {
    const { out } = io
    const countOf = (option: string, otherwise: number): number =>
      io.count(option, otherwise, (text) => `${text}: invalid number`)
    const [fields, chars, width] = [countOf("f", 0), countOf("s", 0), countOf("w", Infinity)]
    const isBlank = (letter: string | undefined): boolean => letter === " " || letter === "\t"
    const afterFields = (line: string): number => {
      let at = 0
      for (let left = fields; left > 0 && at < line.length; left--) {
        while (isBlank(line[at])) at++
        while (at < line.length && !isBlank(line[at])) at++
      }
      return at
    }
    const [counts, repeats, all, unrepeated] = [io.has("c"), io.has("d"), io.has("D"), io.has("u")]
    const plain = fields === 0 && chars === 0 && width === Infinity && !io.has("i")
    const keyOf = (line: string): string => {
      const rest = fields === 0 ? line : line.slice(afterFields(line))
      const key = rest.slice(chars, chars + width)
      return io.has("i") ? key.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : key
    }
    if (counts && all) {
      return io.failUsage("printing all duplicated lines and repeat counts is meaningless")
    }
    const [from, to] = io.operands
    const end = io.terminator()
    const input = io.openInput(from ?? "-", end)
    if (input === undefined) return
    if (to !== undefined && to !== "-") {
      const fd = io.openOutput(to)
      if (fd < 0) return
      io.system.dup2(fd, 1)
    }
    let group: string | undefined
    let key = ""
    let times = 0
    // Most groups have the size of the one before.
    let shownTimes = -1
    let shownCount = ""
    const show = (line: string): void => {
      if (counts) {
        if (times !== shownTimes) shownCount = `${times}`.padStart(7) + " "
        shownTimes = times
        out.putBinary(shownCount)
      }
      out.putBinary(line)
      out.putByte(end)
    }
    const showGroup = (): void => {
      if (group === undefined || all) return
      if (times > 1 ? !unrepeated : !repeats) show(group)
    }
    await io.forEachLine([input], (line) => {
      const own = plain ? line : keyOf(line)
      if (group !== undefined && own === key) {
        times++
        if (all) {
          if (times === 2) show(group)
          show(line)
        }
      } else {
        showGroup()
        group = line
        key = own
        times = 1
      }
    })
    showGroup()
  },
  { maxOperands: 2 },
)

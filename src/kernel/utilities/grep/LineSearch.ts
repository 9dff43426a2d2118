/** Searches files for matching lines, and prints these, their matches, their number or the files' names. */
import { yieldNow } from "../../Coroutine.ts"
import { Errno } from "../../Errno.ts"
import { FileType, type Stat } from "../../Stat.ts"
import { FailureMemo, scanPaused } from "../../regex/Regex.ts"
import { countByte } from "../shared/countByte.ts"
import { type Input, maxHeldBytes } from "../shared/Input.ts"
import type { LinePattern } from "./PerlPattern.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"

export interface SearchSettings {
  readonly pattern: LinePattern
  readonly invert: boolean
  readonly showNames: boolean
  /** Lines of context before and after a match. */
  readonly before: number
  readonly after: number
  readonly maxCount: number
  /** The line between groups of lines with their context. */
  readonly groupSeparator: string | undefined
  /** Paths that are skipped without a message. */
  readonly skipped: { readonly devices: boolean; readonly directories: boolean }
  readonly terminator: number
  /** Whether names, numbers, separators and matches have colors. */
  readonly isColored: boolean
}

/** Colors of names, of numbers, of separators and of matches: the default of GREP_COLORS. */
const colors = { match: "01;31", name: "35", number: "32", separator: "36" } as const

const isRegular = (stat: Stat | number): boolean => typeof stat === "object" && stat.type === FileType.regularFile

export class LineSearch {
  readonly #io: UtilityIo
  readonly #settings: SearchSettings
  readonly #quiet: boolean
  /** Prints only the names of files with a match (`l`) or without one (`L`). */
  readonly #list: string | undefined
  readonly #onlyMatching: boolean
  readonly #showNumbers: boolean
  readonly #showOffsets: boolean
  readonly #hasContext: boolean
  found = false
  /** Whether the result is decided, so that no other file needs to be searched. */
  done = false
  #hasShown = false

  constructor(io: UtilityIo, settings: SearchSettings) {
    this.#io = io
    this.#settings = settings
    this.#quiet = io.has("q")
    this.#list = io.lastOf("l", "L")?.[0]
    this.#onlyMatching = io.has("o")
    this.#showNumbers = io.has("n")
    this.#showOffsets = io.has("b")
    this.#hasContext = io.has("A") || io.has("B") || io.has("C")
  }

  /** Searches a file, or a path that cannot be opened, and prints the result under a name. */
  async searchFile(path: string, name: string): Promise<void> {
    const io = this.#io
    const hadNoError = io.err.isEmpty
    const input = io.has("s") && path !== "-" && typeof io.system.stat(path) === "number"
      ? undefined
      : io.openInput(path, this.#settings.terminator)
    if (input === undefined) {
      if (hadNoError) io.exitCode = 2
      return
    }
    const stat = io.system.fstat(input.fd)
    if (typeof stat !== "number" && stat.type === FileType.directory) {
      if (!this.#settings.skipped.directories) io.warn(path, -Errno.EISDIR)
      input.close()
      return
    }
    if (this.#settings.skipped.devices && path !== "-" && !isRegular(stat)) {
      input.close()
      return
    }
    const label = path === "-" ? io.value("label") ?? "(standard input)" : name
    const count = await this.#searchLines(input, label)
    input.close()
    if (count > 0) this.found = true
    if (this.#quiet) this.done = count > 0
    else if (this.#list !== undefined && (this.#list === "l") === (count > 0)) {
      io.print(this.#paint("name", label) + (io.has("Z") ? "\0" : "\n"))
    } else if (io.has("c") && this.#list === undefined) {
      if (this.#settings.showNames) {
        io.print(this.#paint("name", label) + (io.has("Z") ? "\0" : this.#paint("separator", ":")))
      }
      io.print(`${count}\n`)
    }
    if (io.out.isFull) await io.out.flush()
  }

  #paint(color: keyof typeof colors, text: string): string {
    return this.#settings.isColored ? `\x1b[${colors[color]}m\x1b[K${text}\x1b[m\x1b[K` : text
  }

  /** A binary string with its matches in color. */
  async #paintMatches(text: string): Promise<string> {
    const { pattern } = this.#settings
    const memo = new FailureMemo()
    let out = ""
    let copied = 0
    for (let from = 0; from <= text.length;) {
      if (!(await pattern.exec(this.#io.system, text, from, memo))) break
      from = Math.max(pattern.end, pattern.start + 1)
      if (pattern.end > pattern.start) {
        out += text.slice(copied, pattern.start) + this.#paint("match", text.slice(pattern.start, pattern.end))
        copied = pattern.end
      }
      await this.#io.system.yield()
    }
    return out + text.slice(copied)
  }

  async #searchLines(input: Input, label: string): Promise<number> {
    const { pattern, invert, maxCount, before, after, terminator: end } = this.#settings
    const io = this.#io
    const { out } = io
    const { groupSeparator, isColored, showNames } = this.#settings
    const alignsTabs = io.has("T")
    const isListing = this.#quiet || this.#list !== undefined
    const counting = isListing || io.has("c")
    const stopAt = isListing ? Math.min(1, maxCount) : maxCount
    const canSkip = pattern.canScan && !invert && before === 0
    const selectsBlocks = pattern.canScan && invert && stopAt === Infinity && !this.#hasContext &&
      !this.#onlyMatching && !isColored && !alignsTabs &&
      (counting || !(this.#showNumbers || this.#showOffsets || this.#settings.showNames))
    /** Selected lines are copied as they are. */
    const copiesLines = canSkip && !counting && !this.#hasContext && !this.#onlyMatching && !isColored && !alignsTabs &&
      stopAt === Infinity && !(showNames || this.#showNumbers || this.#showOffsets)
    const countsLines = (this.#showNumbers || this.#hasContext) && !counting
    let offset = 0
    let number = 0
    let count = 0
    let contextLeft = 0
    let shownTo = 0
    const binary = io.lastOf("a", "I")?.[0]
    const skipsBinary = binary === "I"
    let isBinary = binary === "a" || io.has("z") || (counting && !skipsBinary) ? undefined : false
    let held: Array<readonly [text: string, number: number, offset: number]> = []
    let heldBytes = 0
    if (stopAt === 0) return 0

    const stat = alignsTabs ? io.system.fstat(input.fd) : 0
    const width = typeof stat === "object" ? `${stat.size}`.length : 0
    const tab = alignsTabs && (showNames || this.#showNumbers || this.#showOffsets) ? "\t" : ""
    const show = (text: string, sign: string, at: number, place: number): void => {
      const separator = this.#paint("separator", sign)
      if (showNames) out.putText(this.#paint("name", label) + (io.has("Z") ? "\0" : separator))
      if (this.#showNumbers) out.putBinary(this.#paint("number", `${at}`.padStart(width)) + separator)
      if (this.#showOffsets) out.putBinary(this.#paint("number", `${place}`.padStart(width)) + separator)
      out.putBinary(tab + text)
      out.putByte(end)
    }
    const showMatches = async (text: string, at: number, place: number): Promise<void> => {
      const memo = new FailureMemo()
      for (let from = 0; from <= text.length;) {
        if (!(await pattern.exec(io.system, text, from, memo))) break
        if (pattern.end > pattern.start) {
          show(this.#paint("match", text.slice(pattern.start, pattern.end)), ":", at, place + pattern.start)
          from = pattern.end
        } else from = pattern.start + 1
        if (out.isFull) await out.flush()
        await io.system.yield()
      }
    }

    for (;;) {
      let more = input.fill()
      if (typeof more !== "boolean") more = await more
      if (!more) break
      if (isBinary === false && offset === 0 && input.held.includes(0)) isBinary = true
      if (isBinary === true && skipsBinary) return 0
      const { bytes, limit } = input
      const whole = selectsBlocks && isBinary !== true
      while (input.start < limit) {
        let from = input.start
        if (whole || (canSkip && contextLeft === 0)) {
          // Scans all buffered lines at once and reads only the first that matches.
          const complete = bytes[limit - 1] === end
          let at = pattern.scan(bytes, from, limit, !complete)
          while (at === scanPaused) {
            const rest = yieldNow(io.system)
            if (rest !== undefined) await rest
            at = pattern.scan(bytes, pattern.scanAt, limit, !complete)
          }
          let next = at < 0 ? limit : at
          while (at >= 0 && next > from && bytes[next - 1] !== end) next--
          if (countsLines) number += countByte(bytes, end, from, next)
          offset += next - from
          if (whole) {
            // With -v, all lines before the match are selected.
            const last = next === limit && !complete
            if (next > from) {
              count += countByte(bytes, end, from, next) + Number(last)
              if (!counting) out.putBytes(bytes, from, next)
              if (!counting && last) out.putByte(end)
            }
            const stop = at < 0 ? -1 : bytes.indexOf(end, next)
            input.start = at < 0 || stop < 0 || stop >= limit ? limit : stop + 1
            if (out.isFull) await out.flush()
            continue
          }
          input.start = from = next
          if (at < 0) break
          if (copiesLines && isBinary !== true) {
            const stop = bytes.indexOf(end, at)
            const to = stop < 0 || stop >= limit ? limit : stop
            out.putBytes(bytes, from, to)
            out.putByte(end)
            count++
            offset += to - from + 1
            input.start = Math.min(limit, to + 1)
            if (out.isFull) await out.flush()
            continue
          }
        }
        const stop = bytes.indexOf(end, from)
        const to = stop < 0 || stop >= limit ? limit : stop
        const fast = canSkip && contextLeft === 0
        number++
        const place = offset
        offset += to - from + 1
        input.start = from
        if (!pattern.canScan) {
          const rest = io.system.yield()
          if (rest !== undefined) await rest
        }
        const line = fast && counting ? "" : input.line()
        const text = typeof line === "string" ? line : ""
        input.start = Math.min(limit, to + 1)
        const tested = fast || pattern.test(io.system, text)
        if (fast || (typeof tested === "boolean" ? tested : await tested) !== invert) {
          count++
          if (!counting) {
            if (isBinary) {
              io.printError(`${label}: binary file matches`)
              return count
            }
            held = held.slice(-before)
            const begin = held[0]?.[1] ?? number
            const hasGap = shownTo === 0 || begin > shownTo + 1
            if (this.#hasContext && this.#hasShown && hasGap && groupSeparator !== undefined) {
              out.putText(`${this.#paint("separator", groupSeparator)}\n`)
            }
            if (!this.#onlyMatching) { for (const [line, at, position] of held) show(line, "-", at, position) }
            held = []
            heldBytes = 0
            if (!this.#onlyMatching) {
              show(isColored && !invert ? await this.#paintMatches(text) : text, ":", number, place)
            } else if (!invert) await showMatches(text, number, place)
            shownTo = number
            this.#hasShown = true
            contextLeft = after
          }
          if (count >= stopAt) {
            if (contextLeft === 0 || counting) {
              // The next reader of the file continues after this line.
              if (!this.#quiet) io.system.seek(input.fd, -input.held.length, 1)
              return count
            }
            break
          }
        } else if (contextLeft > 0) {
          contextLeft--
          if (!this.#onlyMatching) show(text, "-", number, place)
          shownTo = number
        } else if (before > 0) {
          held.push([text, number, place])
          heldBytes += text.length + 64
          // Removed many at once, because removing the first element of an array moves all others.
          if (held.length >= 2 * before) {
            held = held.slice(held.length - before)
            heldBytes = held.reduce((size, [line]) => size + line.length + 64, 0)
          }
          if (heldBytes > maxHeldBytes) io.fail(`${label}: more than ${maxHeldBytes} bytes of context`)
        }
        if (out.isFull) await out.flush()
      }
      if (count >= stopAt) break
    }
    // The context of the last selected line.
    while (count >= stopAt && contextLeft > 0) {
      const text = await input.line()
      if (text === undefined) break
      contextLeft--
      show(text, "-", ++number, offset)
      offset += text.length + 1
    }
    return count
  }
}

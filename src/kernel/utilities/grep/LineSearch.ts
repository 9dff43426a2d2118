/**
 * Searches files for lines, and shows them.
 *
 * @module
 */
import { Errno } from "../../Errno.ts"
import { FailureMemo, type Regex, scanPaused } from "../../regex/Regex.ts"
import { type Input, maxLineBytes } from "../shared/Input.ts"
import type { UtilityIo } from "../shared/utility.ts"

/** How lines are chosen and shown. */
export interface SearchSettings {
  readonly pattern: Regex
  readonly invert: boolean
  readonly showNames: boolean
  readonly before: number
  readonly after: number
  readonly maxCount: number
  readonly terminator: number
}

/** Searches one file after the other and shows what it finds. */
export class LineSearch {
  readonly #io: UtilityIo
  readonly #plan: SearchSettings
  readonly #quiet: boolean
  readonly #list: boolean
  /** Names of files are shown with a match (`l`), or without one (`L`). */
  readonly #lists: string | undefined
  readonly #only: boolean
  readonly #number: boolean
  readonly #offset: boolean
  readonly #context: boolean
  found = false
  /** Nothing more has to be known. */
  done = false
  #shownAny = false

  constructor(io: UtilityIo, plan: SearchSettings) {
    this.#io = io
    this.#plan = plan
    this.#quiet = io.has("q")
    this.#lists = io.options.all.findLast(([name]) => name === "l" || name === "L")?.[0]
    this.#list = this.#lists !== undefined
    this.#only = io.has("o")
    this.#number = io.has("n")
    this.#offset = io.has("b")
    this.#context = io.has("A") || io.has("B") || io.has("C")
  }

  async file(path: string, name: string): Promise<void> {
    const io = this.#io
    const said = io.err.isEmpty
    const input = io.has("s") && path !== "-" && typeof io.system.stat(path) === "number"
      ? undefined
      : io.openInput(path, this.#plan.terminator)
    if (input === undefined) {
      if (said) io.exitCode = 2
      return
    }
    const stat = io.system.fstat(input.fd)
    if (typeof stat !== "number" && stat.type === 3) {
      io.warn(path, -Errno.EISDIR)
      input.close()
      return
    }
    const label = path === "-" ? io.value("label") ?? "(standard input)" : name
    const count = await this.#lines(input, label)
    input.close()
    if (count > 0) this.found = true
    if (this.#quiet) this.done = count > 0
    else if (this.#list && (this.#lists === "l") === (count > 0)) io.print(`${label}${io.has("Z") ? "\0" : "\n"}`)
    else if (io.has("c") && !this.#list) {
      if (this.#plan.showNames) io.print(`${label}${io.has("Z") ? "\0" : ":"}`)
      io.print(`${count}\n`)
    }
    if (io.out.isFull) await io.out.flush()
  }

  /** How many lines were selected. */
  async #lines(input: Input, label: string): Promise<number> {
    const { pattern, invert, maxCount: most, before, after, terminator: end } = this.#plan
    const io = this.#io
    const { out } = io
    const counting = this.#quiet || this.#list || io.has("c")
    const stopAt = this.#quiet || this.#list ? Math.min(1, most) : most
    const skipping = pattern.canScan && !invert && before === 0
    const blocks = pattern.canScan && invert && stopAt === Infinity && !this.#context && !this.#only &&
      (counting || !(this.#number || this.#offset || this.#plan.showNames))
    const numbering = (this.#number || this.#context) && !counting
    let offset = 0
    let number = 0
    let count = 0
    let trailing = 0
    let shownTo = 0
    let isBinary = io.has("a") || io.has("z") || counting ? undefined : false
    let held: Array<readonly [text: string, number: number, offset: number]> = []
    let heldBytes = 0
    if (stopAt === 0) return 0

    const show = (text: string, sign: string, at: number, place: number): void => {
      if (this.#plan.showNames) out.putText(label + (io.has("Z") ? "\0" : sign))
      if (this.#number) out.putBinary(`${at}${sign}`)
      if (this.#offset) out.putBinary(`${place}${sign}`)
      out.putBinary(text)
      out.putByte(end)
    }
    const parts = async (text: string, at: number, place: number): Promise<void> => {
      const failures = new FailureMemo()
      for (let from = 0; from <= text.length;) {
        if (!(await pattern.exec(io.system, text, from, failures))) break
        if (pattern.end > pattern.start) {
          show(text.slice(pattern.start, pattern.end), ":", at, place + pattern.start)
          from = pattern.end
        } else from = pattern.start + 1
        if (out.isFull) await out.flush()
        await io.system.breathe()
      }
    }

    for (;;) {
      let more = input.fill()
      if (typeof more !== "boolean") more = await more
      if (!more) break
      if (isBinary === false && offset === 0 && input.held.includes(0)) isBinary = true
      const { bytes, limit } = input
      const whole = blocks && isBinary !== true
      while (input.start < limit) {
        let from = input.start
        if (whole || (skipping && trailing === 0)) {
          // All lines at once: only one that matches is looked at.
          const complete = bytes[limit - 1] === end
          let at = pattern.scan(bytes, from, limit, !complete)
          while (at === scanPaused) {
            const rest = io.system.breathe()
            if (rest !== undefined) await rest
            at = pattern.scan(bytes, pattern.scanAt, limit, !complete)
          }
          const next = at < 0 ? limit : from + bytes.subarray(from, at).lastIndexOf(end) + 1
          if (numbering) {
            for (let line = bytes.indexOf(end, from); line >= 0 && line < next; line = bytes.indexOf(end, line + 1)) {
              number++
            }
          }
          offset += next - from
          if (whole) {
            // All lines before the one that matches are selected.
            const last = next === limit && !complete
            if (next > from) {
              for (let line = bytes.indexOf(end, from); line >= 0 && line < next; line = bytes.indexOf(end, line + 1)) {
                count++
              }
              if (last) count++
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
        }
        const stop = bytes.indexOf(end, from)
        const to = stop < 0 || stop >= limit ? limit : stop
        const fast = skipping && trailing === 0
        number++
        const place = offset
        offset += to - from + 1
        input.start = from
        if (!pattern.canScan) {
          const rest = io.system.breathe()
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
            if (this.#context && !this.#only) {
              if (this.#shownAny && (shownTo === 0 || begin > shownTo + 1)) out.putBinary("--\n")
              for (const [line, at, position] of held) show(line, "-", at, position)
            } else if (this.#context && this.#shownAny && (shownTo === 0 || begin > shownTo + 1)) out.putBinary("--\n")
            held = []
            heldBytes = 0
            if (!this.#only) show(text, ":", number, place)
            else if (!invert) await parts(text, number, place)
            shownTo = number
            this.#shownAny = true
            trailing = after
          }
          if (count >= stopAt) {
            if (trailing === 0 || counting) {
              // What was read too much is given back to who reads after.
              if (!this.#quiet) io.system.seek(input.fd, -input.held.length, 1)
              return count
            }
            break
          }
        } else if (trailing > 0) {
          trailing--
          if (!this.#only) show(text, "-", number, place)
          shownTo = number
        } else if (before > 0) {
          held.push([text, number, place])
          heldBytes += text.length + 64
          // Many at once: taking the first of an array off moves all others.
          if (held.length >= 2 * before) {
            held = held.slice(held.length - before)
            heldBytes = held.reduce((size, [line]) => size + line.length + 64, 0)
          }
          if (heldBytes > maxLineBytes) io.fail(`${label}: more than ${maxLineBytes} bytes of context`)
        }
        if (out.isFull) await out.flush()
      }
      if (count >= stopAt) break
    }
    // After the last line that is wanted: only its context.
    while (count >= stopAt && trailing > 0) {
      const text = await input.line()
      if (text === undefined) break
      trailing--
      show(text, "-", ++number, offset)
      offset += text.length + 1
    }
    return count
  }
}

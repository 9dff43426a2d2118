import { Errno } from "../Errno.ts"
import type { Program } from "../System.ts"
import { fromBinary } from "../regex/bytes.ts"
import { type Input, longestLine } from "./kit/Input.ts"
import { glob } from "./kit/glob.ts"
import { isUtf8 } from "./kit/locale.ts"
import { pause, type Regex, regex } from "../regex/Regex.ts"
import { type Io, utility } from "./kit/utility.ts"
import { walk } from "./kit/walk.ts"

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

/** How lines are chosen and shown. */
interface Plan {
  readonly pattern: Regex
  readonly invert: boolean
  readonly names: boolean
  readonly before: number
  readonly after: number
  readonly most: number
  readonly end: number
}

/** `grep [OPTION]... PATTERNS [FILE]...`: the lines that match. Source: grep(1). */
export const grep: Program = utility("grep", spec, async (io) => {
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
  const utf8 = isUtf8(io.system.env)
  const style = io.options.all.findLast(([name]) => /^[EFG]$/.test(name))?.[0]
  const end = io.has("z") ? 0 : 10
  const pattern = regex(fromFile ? patterns.map(fromBinary) : patterns, {
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
  const plan: Plan = {
    after: number("A"),
    before: number("B"),
    end,
    invert: io.has("v"),
    most: most < 0 ? Infinity : most,
    names: io.has("H") ||
      (!io.has("h") && (recursive ? operands.length !== 1 || isFolder(io, operands[0]) : operands.length > 1)),
    pattern,
  }
  const search = new Search(io, plan)
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

const isFolder = (io: Io, path: string | undefined): boolean => {
  const stat = path === undefined ? undefined : io.system.stat(path)
  return path === undefined || (typeof stat === "object" && stat.type === 3)
}

const globs = (io: Io, option: string): ReadonlyArray<(name: string) => boolean> =>
  io.options.all.filter(([name]) => name === option).map(([, pattern]) => glob(pattern))

/** Searches one file after the other and shows what it finds. */
class Search {
  readonly #io: Io
  readonly #plan: Plan
  readonly #quiet: boolean
  readonly #list: boolean
  readonly #only: boolean
  readonly #number: boolean
  readonly #offset: boolean
  readonly #context: boolean
  found = false
  /** Nothing more has to be known. */
  done = false
  #shownAny = false

  constructor(io: Io, plan: Plan) {
    this.#io = io
    this.#plan = plan
    this.#quiet = io.has("q")
    this.#list = io.has("l") || io.has("L")
    this.#only = io.has("o")
    this.#number = io.has("n")
    this.#offset = io.has("b")
    this.#context = io.has("A") || io.has("B") || io.has("C")
  }

  async file(path: string, name: string): Promise<void> {
    const io = this.#io
    const said = io.err.empty
    const input = io.has("s") && path !== "-" && typeof io.system.stat(path) === "number"
      ? undefined
      : io.open(path, this.#plan.end)
    if (input === undefined) {
      if (said) io.status = 2
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
    else if (io.has("l") ? count > 0 : io.has("L") && count === 0) io.out.text(`${label}${io.has("Z") ? "\0" : "\n"}`)
    else if (io.has("c") && !this.#list) {
      if (plainNames(this.#plan)) io.out.text(`${label}${io.has("Z") ? "\0" : ":"}`)
      io.out.text(`${count}\n`)
    }
    if (io.out.full) await io.out.flush()
  }

  /** How many lines were selected. */
  async #lines(input: Input, label: string): Promise<number> {
    const { pattern, invert, most, before, after, end } = this.#plan
    const io = this.#io
    const { out } = io
    const counting = this.#quiet || this.#list || io.has("c")
    const stopAt = this.#quiet || this.#list ? Math.min(1, most) : most
    const skipping = pattern.scans && !invert && before === 0
    const blocks = pattern.scans && invert && stopAt === Infinity && !this.#context && !this.#only &&
      (counting || !(this.#number || this.#offset || this.#plan.names))
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
      if (plainNames(this.#plan)) out.text(label + (io.has("Z") ? "\0" : sign))
      if (this.#number) out.bin(`${at}${sign}`)
      if (this.#offset) out.bin(`${place}${sign}`)
      out.bin(text)
      out.byte(end)
    }
    const parts = async (text: string, at: number, place: number): Promise<void> => {
      for (let from = 0; from <= text.length && pattern.exec(text, from);) {
        if (pattern.end > pattern.start) {
          show(text.slice(pattern.start, pattern.end), ":", at, place + pattern.start)
          from = pattern.end
        } else from = pattern.start + 1
        if (out.full) await out.flush()
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
          while (at === pause) {
            const rest = io.system.breathe()
            if (rest !== undefined) await rest
            at = pattern.scan(bytes, pattern.at, limit, !complete)
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
              if (!counting) out.put(bytes, from, next)
              if (!counting && last) out.byte(end)
            }
            const stop = at < 0 ? -1 : bytes.indexOf(end, next)
            input.start = at < 0 || stop < 0 || stop >= limit ? limit : stop + 1
            if (out.full) await out.flush()
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
        if (!pattern.scans) {
          const rest = io.system.breathe()
          if (rest !== undefined) await rest
        }
        const line = fast && counting ? "" : input.line()
        const text = typeof line === "string" ? line : ""
        input.start = Math.min(limit, to + 1)
        if (fast || pattern.test(text) !== invert) {
          count++
          if (!counting) {
            if (isBinary) {
              io.say(`${label}: binary file matches`)
              return count
            }
            held = held.slice(-before)
            const begin = held[0]?.[1] ?? number
            if (this.#context && !this.#only) {
              if (this.#shownAny && (shownTo === 0 || begin > shownTo + 1)) out.bin("--\n")
              for (const [line, at, position] of held) show(line, "-", at, position)
            } else if (this.#context && this.#shownAny && (shownTo === 0 || begin > shownTo + 1)) out.bin("--\n")
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
          if (heldBytes > longestLine) io.fail(`${label}: more than ${longestLine} bytes of context`)
        }
        if (out.full) await out.flush()
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

const plainNames = (plan: Plan): boolean => plan.names

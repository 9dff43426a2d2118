/**
 * Reads scripts of sed.
 *
 * Source: POSIX.1-2024 sed, GNU sed manual.
 *
 * @module
 */
import { binaryToText } from "../../binaryString.ts"
import { Regex, RegexError } from "../../regex/Regex.ts"
import type { Action, Address, Command, ReplacementPart, Script } from "./Script.ts"

/** How a script is meant. */
export interface ScriptOptions {
  readonly extended: boolean
  readonly utf8: boolean
}

/** A script that cannot be read. */
export class ScriptError extends Error {
  /** What sed ends with. */
  readonly code: number

  constructor(message: string, code = 1) {
    super(message)
    this.code = code
  }
}

const controls: Readonly<Record<string, string>> = { a: "\x07", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" }

/** Reads a script, a binary string. */
export const parseScript = (text: string, options: ScriptOptions): Script => new ScriptParser(text, options).script()

class ScriptParser {
  readonly #text: string
  readonly #options: ScriptOptions
  #at = 0
  readonly #commands: Array<Command> = []
  readonly #labels = new Map<string, number>()
  readonly #blocks: Array<{ end: number }> = []

  constructor(text: string, options: ScriptOptions) {
    this.#text = text
    this.#options = options
  }

  script(): Script {
    for (;;) {
      this.#skip(/[\s;]/)
      if (this.#at >= this.#text.length) break
      this.#command()
    }
    if (this.#blocks.length > 0) this.#wrong("unmatched `{'")
    for (const { action } of this.#commands) {
      if (action._tag === "Jump" && action.letter !== ":" && action.label !== "" && !this.#labels.has(action.label)) {
        throw new ScriptError(`can't find label for jump to \`${action.label}'`, 4)
      }
    }
    return { commands: this.#commands, labels: this.#labels }
  }

  #wrong(what: string): never {
    throw new ScriptError(`-e expression #1, char ${this.#at}: ${what}`)
  }

  #peek(): string {
    return this.#text[this.#at] ?? ""
  }

  #skip(what: RegExp): void {
    while (this.#at < this.#text.length && what.test(this.#peek())) this.#at++
  }

  #number(): number | undefined {
    const digits = /^[0-9]+/.exec(this.#text.slice(this.#at, this.#at + 16))?.[0]
    if (digits === undefined) return undefined
    this.#at += digits.length
    return Number(digits)
  }

  #address(second: boolean): Address | undefined {
    const letter = this.#peek()
    if (second && (letter === "+" || letter === "~")) {
      this.#at++
      const count = this.#number() ?? 0
      return letter === "+" ? { _tag: "More", count } : { _tag: "Multiple", of: count }
    }
    if (letter === "$") {
      this.#at++
      return { _tag: "Last" }
    }
    if (letter === "/" || letter === "\\") {
      if (letter === "\\") this.#at++
      const delimiter = this.#peek()
      this.#at++
      const pattern = this.#until(delimiter, true, true)
      let flags = ""
      while (this.#peek() === "I" || this.#peek() === "M") flags += this.#text[this.#at++]
      return { _tag: "Match", pattern: this.#regex(pattern, flags) }
    }
    const line = this.#number()
    if (line === undefined) return undefined
    this.#skip(/[ \t]/)
    if (this.#peek() !== "~") return { _tag: "Line", line }
    this.#at++
    return { _tag: "Step", first: line, step: this.#number() ?? 0 }
  }

  /** Up to a delimiter that no backslash precedes. In a bracket of a pattern it stands for itself. */
  #until(delimiter: string, pattern: boolean, address = false): string {
    let out = ""
    for (;;) {
      const letter = this.#peek()
      if (letter === "" || (letter === "\n" && pattern && delimiter !== "\n" && address)) {
        this.#wrong(address ? "unterminated address regex" : "unterminated `s' command")
      }
      this.#at++
      if (letter === delimiter) return out
      if (letter === "[" && pattern) {
        const end = this.#bracketEnd()
        out += this.#text.slice(this.#at - 1, end)
        this.#at = end
        continue
      }
      if (letter !== "\\") {
        out += letter
        continue
      }
      const after = this.#peek()
      this.#at++
      if (after === delimiter) {
        // `s|a\|b|x|`: the character itself, not what a backslash makes of it.
        out += pattern && /[.*[\]^$+?(){}|]/.test(after) && !this.#options.extended && /[.*[\]^$]/.test(after)
          ? `\\${after}`
          : after === "&" && !pattern
          ? "\\&"
          : after
      } else if (after === "n" && delimiter !== "n") out += "\\n"
      else out += `\\${after}`
    }
  }

  /** Where a bracket expression ends; in it the delimiter stands for itself. */
  #bracketEnd(): number {
    let at = this.#at
    if (this.#text[at] === "^") at++
    for (let first = true; at < this.#text.length && this.#text[at] !== "\n"; first = false) {
      if (this.#text[at] === "]" && !first) return at + 1
      const kind = this.#text[at] === "[" ? this.#text[at + 1] ?? "" : ""
      const close = /^[:.=]$/.test(kind) ? this.#text.indexOf(`${kind}]`, at + 2) : -1
      at = close < 0 ? at + 1 : close + 2
    }
    // It is not closed: the expression will say so.
    return this.#at
  }

  #regex(text: string, flags: string): Regex | undefined {
    if (text === "") return undefined
    const source = text.replace(
      /\\(?:\\|([dox])([0-9a-fA-F]{2,3})|c([^]))/g,
      (all: string, kind?: string, digits?: string, control?: string) => {
        if (control !== undefined) return String.fromCharCode(control.toUpperCase().charCodeAt(0) ^ 64)
        if (kind === undefined || digits === undefined) return all
        const used = kind === "x" ? digits.slice(0, 2) : digits
        const code = parseInt(used, kind === "d" ? 10 : kind === "o" ? 8 : 16)
        if (Number.isNaN(code)) return all
        const letter = String.fromCharCode(code & 255)
        return (/[.*[\]^$\\/+?(){}|]/.test(letter) ? `\\${letter}` : letter) + digits.slice(used.length)
      },
    )
    try {
      return new Regex([this.#options.utf8 ? binaryToText(source) : latin(source)], {
        escapes: true,
        extended: this.#options.extended,
        ignoreCase: /[iI]/.test(flags),
        multiline: /[mM]/.test(flags),
        utf8: this.#options.utf8,
      })
    } catch (cause) {
      if (cause instanceof RegexError) this.#wrong(cause.message)
      throw cause
    }
  }

  #command(): void {
    const from = this.#address(false)
    let to: Address | undefined
    this.#skip(/[ \t]/)
    if (from !== undefined && this.#peek() === ",") {
      this.#at++
      this.#skip(/[ \t]/)
      to = this.#address(true) ?? this.#wrong("unexpected `,'")
    }
    this.#skip(/[ \t]/)
    const negated = this.#peek() === "!"
    while (this.#peek() === "!") {
      this.#at++
      this.#skip(/[ \t]/)
    }
    if (from?._tag === "Line" && from.line === 0 && to?._tag !== "Match") this.#wrong("invalid usage of line address 0")
    const letter = this.#peek()
    this.#at++
    const action = this.#action(letter, from)
    if (action === undefined) return
    const open = from?._tag === "Line" && from.line === 0
    this.#commands.push({ action, from, negated, open, begun: open, to, until: -1 })
  }

  #action(letter: string, from: Address | undefined): Action | undefined {
    switch (letter) {
      case "#":
        if (from !== undefined) this.#wrong("comments don't accept any addresses")
        this.#skip(/[^\n]/)
        return undefined
      case "{": {
        const block: Action = { _tag: "Block", end: -1 }
        this.#blocks.push(block)
        return block
      }
      case "}": {
        const block = this.#blocks.pop() ?? this.#wrong("unexpected `}'")
        if (from !== undefined) this.#wrong("} doesn't want any addresses")
        block.end = this.#commands.length
        this.#finish()
        return undefined
      }
      case ":": {
        if (from !== undefined) this.#wrong(": doesn't want any addresses")
        const label = this.#word(/[^\s;]/)
        if (label === "") this.#wrong('":" lacks a label')
        this.#labels.set(label, this.#commands.length)
        return undefined
      }
      case "b":
      case "t":
      case "T": {
        const label = this.#word(/[^\n;}]/).trim()
        return { _tag: "Jump", label, letter }
      }
      case "a":
      case "i":
      case "c":
        return { _tag: "Text", letter, text: this.#lines() }
      case "r":
      case "R":
      case "w":
      case "W": {
        const path = this.#word(/[^\n]/)
        if (path === "") this.#wrong("missing filename in r/R/w/W commands")
        return { _tag: "File", letter, path: binaryToText(path) }
      }
      case "s":
        return this.#substitute()
      case "y":
        return this.#translate()
      case "q":
      case "Q":
      case "l":
      case "L": {
        this.#skip(/[ \t]/)
        const value = this.#number()
        this.#finish()
        return { _tag: "Simple", letter, value }
      }
      case "=":
      case "d":
      case "D":
      case "g":
      case "G":
      case "h":
      case "H":
      case "n":
      case "N":
      case "p":
      case "P":
      case "x":
      case "z":
      case "F":
        this.#finish()
        return { _tag: "Simple", letter }
      case "":
        return this.#wrong("missing command")
      default:
        return this.#wrong(`unknown command: \`${letter}'`)
    }
  }

  #word(what: RegExp): string {
    this.#skip(/[ \t]/)
    const from = this.#at
    this.#skip(what)
    return this.#text.slice(from, this.#at)
  }

  #finish(): void {
    this.#skip(/[ \t]/)
    if (!/^[;\n}#]?$/.test(this.#peek())) this.#wrong("extra characters after command")
  }

  /** The text of `a`, `i` and `c`: to the end of the line, a backslash going on with the next. */
  #lines(): string {
    this.#skip(/[ \t]/)
    if (this.#peek() === "\\") {
      this.#at++
      const from = this.#at
      this.#skip(/[ \t]/)
      // Blanks after the backslash belong to a text that begins on the same line.
      if (this.#peek() === "\n") this.#at++
      else this.#at = from
      if (this.#at >= this.#text.length) return ""
    } else if (this.#peek() === "" || this.#peek() === "\n") this.#wrong("expected \\ after `a', `c' or `i'")
    let out = ""
    while (this.#at < this.#text.length && this.#peek() !== "\n") {
      if (this.#peek() === "\\") {
        this.#at++
        if (this.#at >= this.#text.length) break
        out += controls[this.#peek()] ?? this.#peek()
      } else out += this.#peek()
      this.#at++
    }
    return `${out}\n`
  }

  #substitute(): Action {
    const delimiter = this.#peek()
    if (delimiter === "" || delimiter === "\n" || delimiter === "\\") this.#wrong("unterminated `s' command")
    this.#at++
    const pattern = this.#until(delimiter, true)
    const replacement = this.#until(delimiter, false)
    let global = false
    let print = false
    let nth = 0
    let flags = ""
    let file: string | undefined
    for (;;) {
      const letter = this.#peek()
      const number = this.#number()
      if (number !== undefined) {
        if (number === 0) this.#wrong("number option to `s' command may not be zero")
        nth = number
        continue
      }
      if (letter === "g") global = true
      else if (letter === "p") print = true
      else if (/^[iImM]$/.test(letter)) flags += letter
      else if (letter === "w") {
        this.#at++
        file = binaryToText(this.#word(/[^\n]/))
        break
      } else {
        if (letter === "e") this.#wrong("the e flag is not built in")
        break
      }
      this.#at++
    }
    this.#skip(/[ \t]/)
    if (!/^[;\n}#]?$/.test(this.#peek())) this.#wrong("unknown option to `s'")
    const regex = this.#regex(pattern, flags)
    const pieces = this.#pieces(replacement)
    const most = pieces.reduce((found, piece) => piece._tag === "Group" ? Math.max(found, piece.index) : found, 0)
    if (regex !== undefined && most > regex.groups) this.#wrong(`invalid reference \\${most} on \`s' command's RHS`)
    return { _tag: "Substitute", file, global, nth: nth || 1, pattern: regex, pieces, print }
  }

  #pieces(text: string): ReadonlyArray<ReplacementPart> {
    const pieces: Array<ReplacementPart> = []
    const add = (part: string): void => {
      const before = pieces[pieces.length - 1]
      if (before?._tag === "Text") pieces[pieces.length - 1] = { _tag: "Text", text: before.text + part }
      else pieces.push({ _tag: "Text", text: part })
    }
    for (let at = 0; at < text.length; at++) {
      const letter = text[at] ?? ""
      if (letter === "&") pieces.push({ _tag: "Group", index: 0 })
      else if (letter !== "\\") add(letter)
      else {
        const next = text[++at] ?? "\\"
        const code = /^(?:x[0-9a-fA-F]{1,2}|o[0-7]{1,3}|d[0-9]{1,3})/.exec(text.slice(at))?.[0]
        if (/[0-9]/.test(next)) pieces.push({ _tag: "Group", index: Number(next) })
        else if (/[LUluE]/.test(next)) pieces.push({ _tag: "Case", letter: next })
        else if (code !== undefined) {
          add(String.fromCharCode(parseInt(code.slice(1), next === "x" ? 16 : next === "o" ? 8 : 10) & 255))
          at += code.length - 1
        } else add(controls[next] ?? next)
      }
    }
    return pieces
  }

  #translate(): Action {
    const delimiter = this.#peek()
    this.#at++
    const plain = (text: string): Array<string> => {
      const whole = text.replace(
        /\\([^])/g,
        (_all, next: string) => next === "\\" ? "\\" : controls[next] ?? `\\${next}`,
      )
      return Array.from(this.#options.utf8 ? binaryToText(whole) : whole)
    }
    const one = plain(this.#until(delimiter, false))
    const two = plain(this.#until(delimiter, false))
    if (one.length !== two.length) this.#wrong("strings for `y' command are different lengths")
    this.#finish()
    if ([...one, ...two].some((letter) => letter > "\x7f")) {
      return { _tag: "Translate", map: new Map(one.map((letter, at) => [letter, two[at] ?? letter])) }
    }
    const map = Uint8Array.from({ length: 256 }, (_, code) => code)
    one.forEach((letter, at) => map[letter.charCodeAt(0)] = (two[at] ?? letter).charCodeAt(0))
    return { _tag: "Translate", map }
  }
}

/** A pattern for `Regex` without UTF-8, which takes the bytes of a text: those of a binary string again. */
const latin = (text: string): string => binaryToText(text)

/** Parses a script of `sed` to a list of commands with addresses, and its labels. Source: POSIX.1-2024 sed, GNU sed manual. */
import { binaryToText } from "../../binaryString.ts"
import { compileRegex, type Regex } from "../../regex/Regex.ts"
import { parseReplacement } from "./parseReplacement.ts"
import type { Action, Address, Command, Script } from "./Script.ts"
import { controls, ScriptError, ScriptReader } from "./ScriptReader.ts"

export interface ScriptOptions {
  readonly extended: boolean
  readonly utf8: boolean
}

/** Commands that take nothing, and those that take a number. */
const plainLetters = "=dDgGhHnNpPxzF"
const numberLetters = "qQlL"

/** Parses a script, a binary string; throws `ScriptError`. */
export const parseScript = (text: string, options: ScriptOptions): Script => {
  const reader = new ScriptReader(text)
  const commands: Array<Command> = []
  const labels = new Map<string, number>()
  const blocks: Array<{ end: number }> = []

  const parseCommand = (): void => {
    const from = parseAddress(false)
    let to: Address | undefined
    reader.skipBlanks()
    if (from !== undefined && reader.peek() === ",") {
      reader.take()
      reader.skipBlanks()
      to = parseAddress(true) ?? reader.fail("unexpected `,'")
    }
    reader.skipBlanks()
    const negated = reader.peek() === "!"
    reader.skip(/[! \t]/)
    const isOpen = from?._tag === "Line" && from.line === 0
    if (isOpen && to?._tag !== "Match") reader.fail("invalid usage of line address 0")
    const action = parseAction(reader.take(), from)
    if (action === undefined) return
    commands.push({ action, from, negated, isOpen, hasStarted: isOpen, lastLine: -1, to })
  }

  const parseAddress = (isSecond: boolean): Address | undefined => {
    const letter = reader.peek()
    if (isSecond && (letter === "+" || letter === "~")) {
      reader.take()
      const count = reader.takeNumber() ?? 0
      return letter === "+" ? { _tag: "More", count } : { _tag: "Multiple", of: count }
    }
    if (letter === "$") {
      reader.take()
      return { _tag: "Last" }
    }
    if (letter === "/" || letter === "\\") {
      if (letter === "\\") reader.take()
      const pattern = reader.takePattern(reader.take(), options.extended, true)
      let flags = ""
      while (reader.peek() === "I" || reader.peek() === "M") flags += reader.take()
      return { _tag: "Match", pattern: compile(pattern, flags) }
    }
    const line = reader.takeNumber()
    if (line === undefined) return undefined
    reader.skipBlanks()
    if (reader.peek() !== "~") return { _tag: "Line", line }
    reader.take()
    return { _tag: "Step", first: line, step: reader.takeNumber() ?? 0 }
  }

  /** Parses the command of a letter; `undefined` for comments, labels and the ends of blocks. */
  const parseAction = (letter: string, from: Address | undefined): Action | undefined => {
    switch (letter) {
      case "#":
        if (from !== undefined) reader.fail("comments don't accept any addresses")
        reader.skip(/[^\n]/)
        return undefined
      case "{": {
        const block: Action = { _tag: "Block", end: -1 }
        blocks.push(block)
        return block
      }
      case "}": {
        const block = blocks.pop() ?? reader.fail("unexpected `}'")
        if (from !== undefined) reader.fail("} doesn't want any addresses")
        block.end = commands.length
        reader.expectEnd()
        return undefined
      }
      case ":": {
        if (from !== undefined) reader.fail(": doesn't want any addresses")
        const label = reader.takeWord(/[^\s;]/)
        if (label === "") reader.fail('":" lacks a label')
        labels.set(label, commands.length)
        return undefined
      }
      case "b":
      case "t":
      case "T":
        return { _tag: "Jump", label: reader.takeWord(/[^\n;}]/).trim(), letter }
      case "a":
      case "i":
      case "c":
        return { _tag: "Text", letter, text: reader.takeText() }
      case "r":
      case "R":
      case "w":
      case "W": {
        const path = reader.takeWord(/[^\n]/)
        if (path === "") reader.fail("missing filename in r/R/w/W commands")
        return { _tag: "File", letter, path: binaryToText(path) }
      }
      case "s":
        return parseSubstitution()
      case "y":
        return parseTranslation()
      case "":
        return reader.fail("missing command")
    }
    const takesNumber = numberLetters.includes(letter)
    if (!takesNumber && !plainLetters.includes(letter)) return reader.fail(`unknown command: \`${letter}'`)
    reader.skipBlanks()
    const value = takesNumber ? reader.takeNumber() : undefined
    reader.expectEnd()
    return { _tag: "Simple", letter, value }
  }

  const parseSubstitution = (): Action => {
    const delimiter = reader.peek()
    if (delimiter === "" || delimiter === "\n" || delimiter === "\\") reader.fail("unterminated `s' command")
    reader.take()
    const source = reader.takePattern(delimiter, options.extended)
    const replacement = reader.takeReplacement(delimiter)
    let flags = ""
    let nth: number | undefined
    let file: string | undefined
    for (;;) {
      const number = reader.takeNumber()
      if (number === 0) reader.fail("number option to `s' command may not be zero")
      nth = number ?? nth
      if (/^[gpiImM]$/.test(reader.peek())) flags += reader.take()
      else if (number === undefined) break
    }
    if (reader.peek() === "w") {
      reader.take()
      file = binaryToText(reader.takeWord(/[^\n]/))
    } else if (reader.peek() === "e") reader.fail("the e flag is not built in")
    reader.expectEnd("unknown option to `s'")
    const pattern = compile(source, flags)
    const parts = parseReplacement(replacement)
    const maxGroup = parts.reduce((max, part) => part._tag === "Group" ? Math.max(max, part.index) : max, 0)
    if (pattern !== undefined && maxGroup > pattern.groups) {
      reader.fail(`invalid reference \\${maxGroup} on \`s' command's RHS`)
    }
    const [global, print] = [flags.includes("g"), flags.includes("p")]
    return { _tag: "Substitute", file, global, nth: nth ?? 1, parts, pattern, print }
  }

  const parseTranslation = (): Action => {
    const delimiter = reader.take()
    const takeCharacters = (): Array<string> => {
      const text = reader.takeReplacement(delimiter).replace(
        /\\([^])/g,
        (_all, next: string) => next === "\\" ? "\\" : controls[next] ?? `\\${next}`,
      )
      return Array.from(options.utf8 ? binaryToText(text) : text)
    }
    const [from, to] = [takeCharacters(), takeCharacters()]
    if (from.length !== to.length) reader.fail("strings for `y' command are different lengths")
    reader.expectEnd()
    if ([...from, ...to].some((letter) => letter > "\x7f")) {
      return { _tag: "Translate", map: new Map(from.map((letter, at) => [letter, to[at] ?? letter])) }
    }
    const map = Uint8Array.from({ length: 256 }, (_, code) => code)
    from.forEach((letter, at) => map[letter.charCodeAt(0)] = (to[at] ?? letter).charCodeAt(0))
    return { _tag: "Translate", map }
  }

  /** Compiles a pattern, in which `\dNNN`, `\oNNN`, `\xHH` and `\cX` are characters; `undefined` if it is empty. */
  const compile = (text: string, flags: string): Regex | undefined => {
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
    const compiled = compileRegex([binaryToText(source)], {
      escapes: true,
      extended: options.extended,
      ignoreCase: /[iI]/.test(flags),
      multiline: /[mM]/.test(flags),
      utf8: options.utf8,
    })
    return typeof compiled === "string" ? reader.fail(compiled) : compiled
  }

  for (reader.skip(/[\s;]/); !reader.isAtEnd; reader.skip(/[\s;]/)) parseCommand()
  if (blocks.length > 0) reader.fail("unmatched `{'")
  for (const { action } of commands) {
    if (action._tag === "Jump" && action.label !== "" && !labels.has(action.label)) {
      throw new ScriptError(`can't find label for jump to \`${action.label}'`, 4)
    }
  }
  return { commands, labels }
}

/** Parses a script of `sed` to a list of commands with addresses, and its labels. Source: POSIX.1-2024 sed, GNU sed manual. */
import type { Coroutine } from "../../Coroutine.ts"
import { binaryToText } from "../../binaryString.ts"
import type { PatternOptions } from "./compilePattern.ts"
import { parseAddress } from "./parseAddress.ts"
import { parseSubstitution } from "./parseSubstitution.ts"
import { parseTranslation } from "./parseTranslation.ts"
import type { Action, Address, Command, Script } from "./Script.ts"
import { ScriptError, ScriptReader } from "./ScriptReader.ts"

/** Commands that take nothing, and those that take a number. */
const plainLetters = "=dDgGhHnNpPxzF"
const numberLetters = "qQlL"

const maxCommands = 50_000
const commandsPerStep = 64

/** Parses a script, a binary string; throws `ScriptError`. */
export function* parseScript(text: string, options: PatternOptions): Coroutine<Script> {
  const reader = new ScriptReader(text)
  const commands: Array<Command> = []
  const labels = new Map<string, number>()
  const blocks: Array<{ end: number }> = []

  const parseCommand = (): void => {
    const from = parseAddress(reader, options, false)
    let to: Address | undefined
    reader.skipBlanks()
    if (from !== undefined && reader.peek() === ",") {
      reader.take()
      reader.skipBlanks()
      to = parseAddress(reader, options, true) ?? reader.fail("unexpected `,'")
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
        return parseSubstitution(reader, options)
      case "y":
        return parseTranslation(reader, options)
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

  for (reader.skip(/[\s;]/); !reader.isAtEnd; reader.skip(/[\s;]/)) {
    parseCommand()
    if (commands.length > maxCommands) reader.fail(`more than ${maxCommands} commands`)
    if (commands.length % commandsPerStep === 0) yield
  }
  if (blocks.length > 0) reader.fail("unmatched `{'")
  for (const { action } of commands) {
    if (action._tag === "Jump" && action.label !== "" && !labels.has(action.label)) {
      throw new ScriptError(`can't find label for jump to \`${action.label}'`, 4)
    }
  }
  return { commands, labels }
}

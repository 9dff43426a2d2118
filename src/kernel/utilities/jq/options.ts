/** Reads the command line of jq, whose options may stand anywhere. Source: jq(1), main.c of jq 1.7.1. */
import { runCoroutineSync } from "../../Coroutine.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import { emptyObject, JqArray, type JqObject, type Value } from "./values.ts"
import { JqError } from "./JqError.ts"
import { parseText } from "./parseText.ts"

/** Options without a value, by their long name and their letter. */
const switches = {
  "null-input": "n",
  "raw-input": "R",
  slurp: "s",
  "compact-output": "c",
  "raw-output": "r",
  "raw-output0": "",
  "join-output": "j",
  "ascii-output": "a",
  "sort-keys": "S",
  "color-output": "C",
  "monochrome-output": "M",
  tab: "",
  unbuffered: "",
  stream: "",
  "stream-errors": "",
  seq: "",
  "from-file": "f",
  "exit-status": "e",
  // It changes line ends on Windows alone.
  binary: "b",
  help: "h",
  version: "V",
} as const

type Switch = keyof typeof switches

const names = Object.keys(switches).flatMap((name): Array<Switch> => isSwitch(name) ? [name] : [])

function isSwitch(name: string): name is Switch {
  return Object.hasOwn(switches, name)
}

export interface JqOptions {
  readonly has: (name: Switch) => boolean
  /** The program, or the file that it is in. */
  readonly program: string | undefined
  readonly files: ReadonlyArray<string>
  /** Variables of `--arg` and its relatives. */
  readonly named: JqObject
  readonly positional: JqArray
  /** Files whose content becomes a variable. */
  readonly fromFiles: ReadonlyArray<readonly [name: string, path: string, isRaw: boolean]>
  readonly libraries: ReadonlyArray<string> | undefined
  /** Indentation of a level; `undefined` prints one line. */
  readonly indent: string | undefined
}

const help = "Use jq --help for help with command-line options,\n" +
  "or see the jq manpage, or online docs  at https://jqlang.github.io/jq"

export const usage: string = "Usage:\tjq [OPTIONS] FILTER [FILE...]\n\tjq [OPTIONS] -n FILTER\n\n" +
  names.map((name) => `  ${switches[name] === "" ? "    " : `-${switches[name]}, `}--${name}\n`).join("") +
  "      --indent N  --arg NAME TEXT  --argjson NAME JSON  --slurpfile NAME FILE  --rawfile NAME FILE\n" +
  "      --args  --jsonargs  -L DIRECTORY\n"

/** Parses the arguments, or ends the utility with exit code 2. */
export const parseJqOptions = (io: UtilityIo, args: ReadonlyArray<string>): JqOptions => {
  const given = new Set<Switch>()
  const operands: Array<string> = []
  const positional: Array<Value> = []
  const fromFiles: Array<readonly [string, string, boolean]> = []
  let named = emptyObject()
  let libraries: Array<string> | undefined
  let rest: "files" | "strings" | "json" = "files"
  let indent: string | undefined = "  "
  let program: string | undefined
  const fail = (message: string): never => io.fail(`${message}\n${help}`)
  const parse = (text: string, option: string): Value => {
    try {
      return runCoroutineSync(parseText(text))
    } catch (cause) {
      if (cause instanceof JqError) return fail(`invalid JSON text passed to --${option}`)
      throw cause
    }
  }
  const operand = (text: string): void => {
    if (program === undefined) program = text
    else if (rest === "strings") positional.push(text)
    else if (rest === "json") positional.push(parse(text, "jsonargs"))
    else operands.push(text)
  }
  const turnOn = (name: Switch): void => {
    given.add(name)
    if (name === "compact-output") indent = undefined
    if (name === "tab") indent = "\t"
  }
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ""
    if (!/^-[-a-zA-Z]/.test(arg)) {
      operand(arg)
      continue
    }
    if (arg === "--") {
      args.slice(at + 1).forEach(operand)
      break
    }
    if (arg[1] === "L") {
      libraries ??= []
      libraries.push(
        arg.length > 2
          ? arg.slice(2)
          : args[++at] ?? fail("-L takes a parameter: (e.g. -L /search/path or -L/search/path)"),
      )
      continue
    }
    if (arg[1] !== "-") {
      for (const letter of arg.slice(1)) {
        const name = names.find((candidate) => switches[candidate] === letter)
        turnOn(name ?? fail(`Unknown option ${arg}`))
      }
      continue
    }
    const name = arg.slice(2)
    if (isSwitch(name)) turnOn(name)
    else if (name === "args") rest = "strings"
    else if (name === "jsonargs") rest = "json"
    else if (name === "indent") {
      const text = args[++at] ?? fail("--indent takes one parameter")
      const width = parseInt(text, 10) || 0
      if (width < 0 || width > 7) fail("--indent takes a number between 0 and 7")
      indent = width === 0 ? undefined : " ".repeat(width)
    } else if (name === "arg" || name === "argjson" || name === "slurpfile" || name === "rawfile") {
      const [variable, value] = args.slice(at + 1, at + 3)
      at += 2
      if (variable === undefined || value === undefined) {
        const what = name === "arg" ? "value" : name === "argjson" ? "text" : "filename"
        return fail(`--${name} takes two parameters (e.g. --${name} varname ${what})`)
      }
      if (name === "slurpfile" || name === "rawfile") fromFiles.push([variable, value, name === "rawfile"])
      else if (!named.entries.has(variable)) named = named.with(variable, name === "arg" ? value : parse(value, name))
    } else fail(`Unknown option ${arg}`)
  }
  return {
    has: (name) => given.has(name),
    program,
    files: operands,
    named,
    positional: new JqArray(positional),
    fromFiles,
    libraries,
    indent,
  }
}

/** Parses the arguments of a utility as getopt_long(3) does, and formats its `--help`. */
import { UtilityExit } from "./UtilityExit.ts"

export interface ParsedOptions {
  /** The last value of each option; `""` for an option without a value. */
  readonly lastValues: ReadonlyMap<string, string>
  readonly all: ReadonlyArray<readonly [name: string, value: string, operandsBefore: number]>
  readonly operands: ReadonlyArray<string>
}

interface OptionSpec {
  readonly key: string
  readonly value: "" | ":" | "::"
}

const wordsOf = (spec: string): ReadonlyArray<string> =>
  spec.replace(/^[+=]/, "").split(/\s+/).filter((word) => word !== "")

const parseSpec = (spec: string): Map<string, OptionSpec> => {
  const known = new Map<string, OptionSpec>([["help", { key: "help", value: "" }]])
  for (const word of wordsOf(spec)) {
    const value = word.endsWith("::") ? "::" : word.endsWith(":") ? ":" : ""
    const names = word.slice(0, word.length - value.length).split("|")
    for (const name of names) known.set(name, { key: names[0] ?? name, value })
  }
  return known
}

/** `notes` are added to the options that they name. */
export const formatUsage = (name: string, spec: string, notes: Readonly<Record<string, string>> = {}): string => {
  const lines = wordsOf(spec).map((word) => {
    const names = word.replace(/:+$/, "").split("|").map((option) => option.length === 1 ? `-${option}` : `--${option}`)
    return `  ${names.join(", ")}${word.endsWith("::") ? "[=VALUE]" : word.endsWith(":") ? " VALUE" : ""}${
      notes[word] === undefined ? "" : `  (no effect: ${notes[word]})`
    }\n`
  })
  return `Usage: ${name} [OPTION]... [OPERAND]...\n${lines.join("")}`
}

/** Parses clusters (`-xvf file`), `--name=value`, prefixes of long names, options after operands, `--`: see `defineUtility`. */
export const parseOptions = (spec: string, args: ReadonlyArray<string>, errorExitCode: number): ParsedOptions => {
  const known = parseSpec(spec)
  const all: Array<readonly [string, string, number]> = []
  const operands: Array<string> = []
  const fail = (message: string): never => {
    throw new UtilityExit(errorExitCode, message)
  }
  if (spec[0] === "=") return { lastValues: new Map(), all, operands: args }
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ""
    if (arg === "--") {
      for (const operand of args.slice(at + 1)) operands.push(operand)
      break
    }
    if (arg[0] !== "-" || arg === "-") {
      operands.push(arg)
      if (spec[0] !== "+") continue
      for (const operand of args.slice(at + 1)) operands.push(operand)
      break
    }
    if (arg[1] === "-") {
      const equals = arg.indexOf("=")
      const given = equals < 0 ? arg.slice(2) : arg.slice(2, equals)
      const exact = given.length > 1 ? known.get(given) : undefined
      const near = [...known].filter(([name]) => name.length > 1 && name.startsWith(given)).map(([, option]) => option)
      const option = exact ?? near[0] ?? fail(`unrecognized option '${arg}'`)
      if (exact === undefined && near.some((other) => other.key !== option.key)) {
        fail(`option '--${given}' is ambiguous`)
      }
      if (equals >= 0 && option.value === "") fail(`option '--${given}' doesn't allow an argument`)
      if (option.value === ":" && equals < 0 && ++at >= args.length) fail(`option '--${given}' requires an argument`)
      const value = equals >= 0 ? arg.slice(equals + 1) : option.value === ":" ? args[at] ?? "" : ""
      all.push([option.key, value, operands.length])
      continue
    }
    for (let letter = 1; letter < arg.length; letter++) {
      const name = arg[letter] ?? ""
      const option = known.get(name) ?? fail(`invalid option -- '${name}'`)
      if (option.value === "") {
        all.push([option.key, "", operands.length])
        continue
      }
      const rest = arg.slice(letter + 1)
      if (rest === "" && option.value === ":" && ++at >= args.length) fail(`option requires an argument -- '${name}'`)
      all.push([option.key, rest !== "" || option.value === "::" ? rest : args[at] ?? "", operands.length])
      break
    }
  }
  return { lastValues: new Map(all.map(([name, value]) => [name, value])), all, operands }
}

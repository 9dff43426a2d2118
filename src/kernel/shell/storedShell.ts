/**
 * Writes the state of a shell as text and reads it again: variables with their attributes, functions, aliases, options,
 * traps, the working directory and the umask. Functions are stored as source text and parsed again, so that a stored
 * text cannot produce a tree that no script can. Jobs, open descriptors and `$!` belong to processes and are not
 * stored.
 */
import * as Schema from "effect/Schema"
import { type CompoundCommand, parse, walk } from "../../shell-language/ShellLanguage.ts"
import type { Coroutine } from "../Coroutine.ts"
import type { ShellFunction } from "./Call.ts"
import { IndexedArray } from "./IndexedArray.ts"
import { PositionalParameters } from "./PositionalParameters.ts"
import { ScriptSource } from "./ScriptSource.ts"
import type { ShellLimitSettings } from "./ShellLimits.ts"
import { optionNames, shoptNames } from "./shellOptions.ts"
import type { SavedShell } from "./ShellSession.ts"
import { signalNumber } from "./traps.ts"
import { Variable } from "./Variable.ts"
import { Variables } from "./Variables.ts"

type Saved = SavedShell & { readonly cwd: string | undefined }

const count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
const pair = Schema.Tuple([Schema.String, Schema.String])

const StoredVariable = Schema.Struct({
  name: Schema.String.check(Schema.isPattern(/^[A-Za-z_][A-Za-z0-9_]*$/)),
  letters: Schema.String.check(Schema.isPattern(/^[aAilnrux]*$/)),
  value: Schema.optionalKey(Schema.String),
  array: Schema.optionalKey(Schema.Array(Schema.Tuple([count, Schema.String]))),
  table: Schema.optionalKey(Schema.Array(pair)),
})

const StoredShell = Schema.Struct({
  cwd: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^\//))),
  umask: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0o777 })),
  status: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })),
  seconds: count,
  name: Schema.String,
  lastArgument: Schema.String,
  positional: Schema.Array(Schema.String),
  directories: Schema.Array(Schema.String),
  optionOffset: count,
  optionIndex: count,
  options: Schema.Array(Schema.String),
  dynamic: Schema.Array(Schema.String),
  traps: Schema.Array(pair),
  aliases: Schema.Array(pair),
  variables: Schema.Array(StoredVariable),
  functions: Schema.Array(Schema.Struct({
    name: Schema.String,
    text: Schema.String,
    source: Schema.String,
    expandsAliases: Schema.Boolean,
    extglob: Schema.Boolean,
  })),
})

type StoredFunction = typeof StoredShell.Type["functions"][number]

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(StoredShell))
const nanos = 1_000_000_000n
const maxFunctionLength = 16 * 1024 * 1024

const storeVariable = (name: string, variable: Variable): typeof StoredVariable.Type => ({
  name,
  letters: variable.letters,
  ...(variable.value === undefined ? undefined : { value: variable.value }),
  ...(variable.array === undefined
    ? undefined
    : { array: variable.array.indexes.map((index) => [index, variable.array?.get(index) ?? ""] as const) }),
  ...(variable.table === undefined ? undefined : { table: [...variable.table] }),
})

const loadVariable = ({ array, letters, table, value }: typeof StoredVariable.Type): Variable => {
  const variable = new Variable(value)
  if (array !== undefined || letters.includes("a")) {
    variable.array = new IndexedArray()
    for (const [index, element] of array ?? []) variable.array.set(index, element)
  } else if (table !== undefined || letters.includes("A")) variable.table = new Map(table)
  variable.exported = letters.includes("x")
  variable.readonly = letters.includes("r")
  variable.integer = letters.includes("i")
  variable.reference = letters.includes("n")
  variable.case = letters.includes("l") ? "lower" : letters.includes("u") ? "upper" : undefined
  return variable
}

/** The text of a function's body, with its here-documents, which follow the line. */
const bodyText = ({ body, source: { text } }: ShellFunction): string => {
  let { end } = body.span
  walk(body, (node) => {
    if (node._tag !== "HereDocument" || node.body.span.end < end) return
    const delimiter = text.indexOf("\n", node.body.span.end)
    end = delimiter < 0 ? text.length : delimiter + 1
  })
  return text.slice(body.span.start, end)
}

const withoutSpans = (body: CompoundCommand): string =>
  JSON.stringify(
    body,
    (key, value: unknown) => key === "span" ? undefined : typeof value === "bigint" ? `${value}n` : value,
  )

const parseFunction = (
  { expandsAliases, extglob, name, source, text }: StoredFunction,
  aliases: ReadonlyMap<string, string>,
): ShellFunction | undefined => {
  const whole = `${name} () ${text}`
  const parsed = parse(whole, {
    extglob,
    maxLength: maxFunctionLength,
    coprocesses: true,
    ...(expandsAliases ? { aliases: (alias) => aliases.get(alias) } : undefined),
  })
  const command = parsed._tag === "Success" ? parsed.success.statements[0]?.pipelines[0]?.commands[0] : undefined
  if (command?._tag !== "FunctionDefinition" || command.name !== name) return undefined
  return { name, body: command.body, source: new ScriptSource(whole, source) }
}

/** Stores a function as text that defines it again, with or without the aliases with which it was parsed. */
const storeFunction = (found: ShellFunction, aliases: ReadonlyMap<string, string>): StoredFunction => {
  const [name, text, source] = [found.name, bodyText(found), found.source.name]
  const wanted = withoutSpans(found.body)
  const ways = [[false, false], [false, true], [true, false], [true, true]] as const
  const stored = ways.map(([expandsAliases, extglob]) => ({ name, text, source, expandsAliases, extglob }))
  const exact = stored.find((way) => {
    const made = parseFunction(way, aliases)
    return made !== undefined && withoutSpans(made.body) === wanted
  })
  return exact ?? { name, text, source, expandsAliases: true, extglob: true }
}

/** The state of a shell as text. */
export const storeShell = (saved: Saved): string =>
  JSON.stringify(
    {
      ...(saved.cwd === undefined ? undefined : { cwd: saved.cwd }),
      umask: saved.umask,
      status: saved.status,
      seconds: Number(saved.elapsed / nanos),
      name: saved.name,
      lastArgument: saved.lastArgument,
      positional: saved.positional.words,
      directories: saved.directoryStack,
      optionOffset: saved.optionOffset,
      optionIndex: saved.optionIndex,
      options: [...saved.options],
      dynamic: [...saved.dynamic],
      traps: [...saved.traps],
      aliases: [...saved.aliases],
      variables: saved.variables.names.flatMap((name) => {
        const variable = saved.dynamic.has(name) ? undefined : saved.variables.find(name, false)
        return variable === undefined ? [] : [storeVariable(name, variable)]
      }),
      functions: Array.from(saved.functions.values(), (found) => storeFunction(found, saved.aliases)),
    } satisfies typeof StoredShell.Type,
  )

const known = new Set([...optionNames, ...shoptNames])
const traps = new Set(["EXIT", "ERR", "DEBUG", "RETURN"])

const invalid = (what: string): Error => new Error(`the state of the shell: ${what}`)

/** Reads the state of a shell; yields between functions. Throws if the text is not such a state, or exceeds a limit. */
export function* loadShell(text: string, limits: ShellLimitSettings): Coroutine<Saved> {
  let stored: typeof StoredShell.Type
  try {
    stored = decode(text)
  } catch (cause) {
    throw invalid(String(cause instanceof Error ? cause.message : cause).split("\n")[0]?.slice(0, 200) ?? "")
  }
  const variables = new Map(stored.variables.map((variable) => [variable.name, loadVariable(variable)]))
  let size = 0
  for (const variable of variables.values()) size += variable.size
  if (size > limits.maxVariablesLength) throw invalid(`variables of more than ${limits.maxVariablesLength} characters`)
  const option = stored.options.find((name) => !known.has(name))
  if (option !== undefined) throw invalid(`there is no option ${option.slice(0, 80)}`)
  const trap = stored.traps.find(([name]) =>
    !traps.has(name) && !/^SIG/.test(name) || !traps.has(name) && signalNumber(name) === undefined
  )
  if (trap !== undefined) throw invalid(`there is no signal ${trap[0].slice(0, 80)}`)
  const aliases = new Map(stored.aliases)
  const functions = new Map<string, ShellFunction>()
  for (const given of stored.functions) {
    const made = parseFunction(given, aliases)
    if (made === undefined) throw invalid(`the function ${given.name.slice(0, 80)} cannot be parsed`)
    functions.set(given.name, made)
    yield
  }
  return {
    cwd: stored.cwd,
    umask: stored.umask,
    elapsed: BigInt(stored.seconds) * nanos,
    status: stored.status,
    name: stored.name,
    lastArgument: stored.lastArgument,
    positional: new PositionalParameters(stored.positional),
    directoryStack: stored.directories,
    optionOffset: stored.optionOffset,
    optionIndex: stored.optionIndex,
    options: new Set(stored.options),
    dynamic: new Set(stored.dynamic),
    traps: new Map(stored.traps),
    aliases,
    functions,
    variables: new Variables(variables),
  }
}

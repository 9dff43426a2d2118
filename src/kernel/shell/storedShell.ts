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
/** Decoded element by element: a hostile state has millions of them. */
const list = Schema.Unknown
const element = Schema.Tuple([count, Schema.String])
const pair = Schema.Tuple([Schema.String, Schema.String])

const StoredVariable = Schema.Struct({
  name: Schema.String.check(Schema.isPattern(/^[A-Za-z_][A-Za-z0-9_]*$/)),
  letters: Schema.String.check(Schema.isPattern(/^[aAilnrux]*$/)),
  value: Schema.optionalKey(Schema.String),
  array: Schema.optionalKey(list),
  table: Schema.optionalKey(list),
})

const StoredFunction = Schema.Struct({
  name: Schema.String,
  text: Schema.String,
  source: Schema.String,
  expandsAliases: Schema.Boolean,
  extglob: Schema.Boolean,
})

const StoredShell = Schema.Struct({
  cwd: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^\//))),
  umask: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0o777 })),
  status: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })),
  seconds: count,
  name: Schema.String,
  lastArgument: Schema.String,
  positional: list,
  directories: list,
  optionOffset: count,
  optionIndex: count,
  options: list,
  dynamic: list,
  traps: list,
  aliases: list,
  variables: list,
  functions: list,
})

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(StoredShell))
const isText = Schema.is(Schema.String)
const isPair = Schema.is(pair)
const isElement = Schema.is(element)
/** No value of a shell has a NUL: programs would take what follows for another variable. */
const hasNul = (value: string | undefined): boolean => value?.includes("\0") === true
const isVariable = Schema.is(StoredVariable)
const isFunction = Schema.is(StoredFunction)

/** Checks the elements of a list; yields from time to time. */
function* checked<A>(what: string, values: unknown, is: (value: unknown) => value is A): Coroutine<Array<A>> {
  const found: Array<A> = []
  if (!Array.isArray(values)) throw invalid(`there is no list of ${what}s`)
  for (const value of values) {
    if (!is(value)) throw invalid(`${what} ${found.length} is none`)
    if (found.push(value) % 256 === 0) yield
  }
  return found
}
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

function* loadVariable({ array, letters, table, value }: typeof StoredVariable.Type): Coroutine<Variable> {
  const variable = new Variable(value)
  if (hasNul(value)) throw invalid("a value has a NUL")
  if (array !== undefined || letters.includes("a")) {
    variable.array = new IndexedArray()
    let count = 0
    for (const [index, text] of yield* checked("element", array ?? [], isElement)) {
      variable.array.set(index, text)
      if (++count % 256 === 0) yield
    }
  } else if (table !== undefined || letters.includes("A")) {
    variable.table = new Map(yield* checked("element", table ?? [], isPair))
  }
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
  { expandsAliases, extglob, name, source, text }: typeof StoredFunction.Type,
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
const storeFunction = (found: ShellFunction, aliases: ReadonlyMap<string, string>): typeof StoredFunction.Type => {
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
  const variables = new Map<string, Variable>()
  let size = 0
  for (const given of yield* checked("variable", stored.variables, isVariable)) {
    const variable = yield* loadVariable(given)
    variables.set(given.name, variable)
    size += variable.size
    if (size > limits.maxVariablesLength) {
      throw invalid(`variables of more than ${limits.maxVariablesLength} characters`)
    }
  }
  const options = yield* checked("option", stored.options, isText)
  const option = options.find((name) => !known.has(name))
  if (option !== undefined) throw invalid(`there is no option ${option.slice(0, 80)}`)
  const trapped = yield* checked("trap", stored.traps, isPair)
  const trap = trapped.find(([name]) =>
    !traps.has(name) && !/^SIG/.test(name) || !traps.has(name) && signalNumber(name) === undefined
  )
  if (trap !== undefined) throw invalid(`there is no signal ${trap[0].slice(0, 80)}`)
  const aliases = new Map(yield* checked("alias", stored.aliases, isPair))
  const functions = new Map<string, ShellFunction>()
  for (const given of yield* checked("function", stored.functions, isFunction)) {
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
    positional: new PositionalParameters(yield* checked("argument", stored.positional, isText)),
    directoryStack: yield* checked("directory", stored.directories, isText),
    optionOffset: stored.optionOffset,
    optionIndex: stored.optionIndex,
    options: new Set(options),
    dynamic: new Set(yield* checked("variable", stored.dynamic, isText)),
    traps: new Map(trapped),
    aliases,
    functions,
    variables: new Variables(variables),
  }
}

/** Decides which environment variables a caller or a script may set, and which ones commands inherit. */
import { quoteIfNeeded } from "../base/quote.ts"
import { reveal, type Word } from "../command/Secret.ts"
import { type DeniedVariables, deniedVariables, harmlessVariables } from "./deniedVariables.ts"
import { isGitSettings } from "./gitEnvironment.ts"
import { inheritsFrom, servedVariables } from "./inheritedVariables.ts"
import { makeNameMatcher } from "./makeNameMatcher.ts"
import { notAllowed, type PolicyRefusal } from "./PolicyRefusal.ts"

/** Names that may be set, and names that may not; `*` stands for any characters. */
export interface EnvironmentLists {
  readonly allow?: ReadonlyArray<string> | undefined
  readonly deny?: ReadonlyArray<string> | undefined
  readonly inherit?: ReadonlyArray<string> | undefined
}

/** An old bash parses such a value as a function. */
const isFunction = (value: string): boolean => /^\s*\(\)\s*\{/.test(value)

/** Variables that name a character encoding, which determines how a shell reads a backslash after other characters. */
const encodings: ReadonlySet<string> = new Set(["LC_ALL", "LC_CTYPE", "LANG"])

/** Encodings in which every byte below 0x80 is an ASCII character. */
const isPlainLocale = (value: string): boolean =>
  /^(?:|C|POSIX|[\w@]+\.(?:utf-?8|iso-?8859-?\d+)(?:@\w+)?)$/i.test(value)

/**
 * Whether a variable may hold a value; `undefined` is an unknown value. In an encoding such as GBK the second byte of a
 * character may look like a backslash, so that a shell would read a script differently.
 */
const mayHold = (name: string, value: string | undefined): boolean =>
  !encodings.has(name) || (value !== undefined && isPlainLocale(value))

/** The rule of a policy's lists and of the table of variables that change what runs. */
export class EnvironmentRule {
  readonly #isAllowed: (name: string) => boolean
  readonly #isDenied: (name: string) => boolean
  readonly #isDangerous: (name: string) => boolean
  readonly #isExcepted: (name: string) => boolean
  readonly #isServed: (name: string) => boolean
  /** Whether the list of allowed variables has this full name. */
  readonly isNamed: (name: string) => boolean
  /** Whether commands inherit a variable of the server. */
  readonly inherits: (name: string) => boolean

  /** @param table what no caller may set */
  constructor(
    { allow, deny, inherit }: EnvironmentLists,
    ignoreCase: boolean,
    table: ReadonlyArray<DeniedVariables> = deniedVariables,
  ) {
    this.#isAllowed = allow === undefined ? () => true : makeNameMatcher(allow, ignoreCase)
    this.#isDenied = makeNameMatcher(deny ?? [], ignoreCase)
    this.#isDangerous = makeNameMatcher(table.flatMap(({ names }) => names), ignoreCase)
    this.inherits = inheritsFrom(inherit, ignoreCase)
    // Names on Windows are case-insensitive, so an entry could take effect for another name.
    this.#isServed = makeNameMatcher(ignoreCase ? [] : servedVariables, false)
    const named = (allow ?? []).filter((name) => !name.includes("*"))
    this.isNamed = makeNameMatcher(named, ignoreCase)
    this.#isExcepted = makeNameMatcher([...harmlessVariables, ...named], ignoreCase)
  }

  mayPass(name: string): boolean {
    return name.length <= 256 && !isGitSettings(name) && !this.#isDenied(name) &&
      (!this.#isDangerous(name) || this.#isExcepted(name)) && this.#isAllowed(name)
  }

  /**
   * Whether a command may unset a variable: one that callers may set, or that every command inherits by default. Any
   * other variable of the table is set for a reason, and some of git's are set by this package.
   */
  mayRemove(name: string): boolean {
    return this.mayPass(name) || (this.#isServed(name) && !this.#isDenied(name))
  }

  /** The first variable of a command's environment that may not be set, or not be removed by `null`. */
  refusal(environment: Readonly<Record<string, Word | null>> | undefined): PolicyRefusal | undefined {
    for (const [name, value] of Object.entries(environment ?? {})) {
      if (value === null ? !this.mayRemove(name) : !this.mayPass(name)) return refusedVariable(name)
      if (value === null) continue
      const text = reveal(value)
      if (isFunction(text ?? "") || !mayHold(name, text)) return refusedVariable(name)
    }
    return undefined
  }
}

export const refusedVariable = (name: string): PolicyRefusal =>
  notAllowed("environment", name, `the variable ${quoteIfNeeded(name)} may not be set`)

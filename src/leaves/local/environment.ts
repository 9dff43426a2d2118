/**
 * The environment of a child, as what is different from its parent's.
 *
 * @module
 */
import * as Result from "effect/Result"
import { reveal, type Word } from "../../command/Secret.ts"
import { checkVariable, type InvalidVariable } from "../../shell/validateExec.ts"
import type { Platform } from "./resolve-paths.ts"

/** Looks one variable up. */
export type Variables = (name: string) => string | undefined

/** Variables by name. */
export type VariableRecord = Readonly<Record<string, string>>

/**
 * What is done to the parent's environment to get the child's: thrown away first if `clear`, then `remove` taken
 * out, then `set` put in. `remove` is empty when `clear` is true.
 */
export interface EnvironmentDelta {
  readonly clear: boolean
  readonly set: VariableRecord
  readonly remove: ReadonlyArray<string>
}

/** A child's environment as it was asked for. */
export interface EnvironmentRequest {
  readonly platform: Platform
  /** One variable of the parent's environment; `undefined` for all where it may not be read. */
  readonly parent: Variables
  /** Whether the parent's environment is passed on. Default: `true`. */
  readonly inherit?: boolean | undefined
  /** Entries that override; `null` removes. */
  readonly entries?: Readonly<Record<string, Word | null>> | undefined
  /** Directories that go first on PATH. */
  readonly pathFirst?: ReadonlyArray<string> | undefined
  /** A variable by which the leaf finds the child's descendants again. */
  readonly marker?: readonly [name: string, value: string] | undefined
}

/** Where programs are looked for when there is no PATH. */
export const defaultPath: Readonly<Record<Platform, string>> = {
  // execvp(3) leaves this to the system; glibc has "/bin:/usr/bin", shells put /usr/local/bin first.
  posix: "/usr/local/bin:/usr/bin:/bin",
  windows: "C:\\Windows\\System32;C:\\Windows",
}

/** What stands between two directories of PATH. */
export const pathDelimiter: Readonly<Record<Platform, string>> = { posix: ":", windows: ";" }

const nothing: VariableRecord = Object.freeze({})

/** The delta that changes nothing. */
export const inherited: EnvironmentDelta = Object.freeze({ clear: false, set: nothing, remove: Object.freeze([]) })

// Without a prototype, `__proto__` is a name like any other.
const record = (): Record<string, string> => Object.create(null)

/** Windows compares names without case and keeps the case it was given. */
const sameName = (platform: Platform, a: string, b: string): boolean =>
  a === b || platform === "windows" && a.length === b.length && a.toUpperCase() === b.toUpperCase()

const findName = (platform: Platform, names: Iterable<string>, name: string): string | undefined => {
  for (const other of names) if (sameName(platform, other, name)) return other
  return undefined
}

/** Looks variables up in a record, by the platform's idea of equal names. */
export const variablesOf = (platform: Platform, variables: VariableRecord): Variables => (name) => {
  if (Object.hasOwn(variables, name)) return variables[name]
  const other = platform === "windows" ? findName(platform, Object.keys(variables), name) : undefined
  return other === undefined ? undefined : variables[other]
}

/**
 * Builds the child's environment as a {@link EnvironmentDelta}, or says which entry is impossible. Reads of the
 * parent only what it must, so that a spawn that changes nothing costs nothing ({@link inherited}).
 *
 * - Of two entries whose names differ by case only, Windows gets the last.
 * - `pathFirst` goes before the PATH the child would have had, or before {@link defaultPath}.
 * - A cleared environment on Windows keeps SystemRoot unless an entry says otherwise: without it no program that
 *   opens a socket or draws a random number starts (libuv, so Bun and Node, insists on it too).
 */
export const childEnvironment = (request: EnvironmentRequest): Result.Result<EnvironmentDelta, InvalidVariable> => {
  const { entries, marker, parent, pathFirst, platform } = request
  const clear = request.inherit === false
  const first = pathFirst !== undefined && pathFirst.length > 0 ? pathFirst : undefined
  if (!clear && entries === undefined && first === undefined && marker === undefined) return Result.succeed(inherited)

  const set = record()
  const remove = new Set<string>()
  const forget = (name: string): void => {
    if (platform === "posix") return void (delete set[name], remove.delete(name))
    const [old, removed] = [findName(platform, Object.keys(set), name), findName(platform, remove, name)]
    if (old !== undefined) delete set[old]
    if (removed !== undefined) remove.delete(removed)
  }
  for (const name in entries) {
    if (!Object.hasOwn(entries, name)) continue
    const value = entries[name]
    if (value === undefined) continue
    const invalid = checkVariable(name, value)
    if (invalid !== undefined) return Result.fail(invalid)
    forget(name)
    const text = value === null ? undefined : reveal(value)
    if (text === undefined) remove.add(name)
    else set[name] = text
  }
  if (first !== undefined) {
    const was = variablesOf(platform, set)("PATH") ??
      (clear || findName(platform, remove, "PATH") !== undefined ? undefined : parent("PATH"))
    const name = findName(platform, Object.keys(set), "PATH") ?? "PATH"
    forget(name)
    set[name] = [...first, was ?? defaultPath[platform]].join(pathDelimiter[platform])
  }
  if (clear && platform === "windows") {
    const root = parent("SystemRoot")
    const named = findName(platform, Object.keys(set), "SystemRoot") ?? findName(platform, remove, "SystemRoot")
    if (root !== undefined && named === undefined) set["SystemRoot"] = root
  }
  if (marker !== undefined) set[marker[0]] = marker[1]
  return Result.succeed({ clear, set, remove: clear ? [] : [...remove] })
}

/** One variable of the child's environment, as `delta` makes it of the parent's. */
export const childVariable = (
  platform: Platform,
  delta: EnvironmentDelta,
  parent: Variables,
  name: string,
): string | undefined => {
  const value = variablesOf(platform, delta.set)(name)
  if (value !== undefined) return value
  return delta.clear || findName(platform, delta.remove, name) !== undefined ? undefined : parent(name)
}

/**
 * The child's whole environment, for a runtime that takes no less or cannot remove. On Windows a variable that is
 * overridden keeps the parent's way to write its name.
 */
export const materialise = (platform: Platform, delta: EnvironmentDelta, parent: VariableRecord): VariableRecord => {
  const all = record()
  if (!delta.clear) Object.assign(all, parent)
  for (const name of delta.remove) {
    if (platform === "posix") delete all[name]
    else for (const other of Object.keys(all)) if (sameName(platform, other, name)) delete all[other]
  }
  for (const name in delta.set) {
    const value = delta.set[name]
    if (value === undefined) continue
    all[platform === "posix" ? name : findName(platform, Object.keys(all), name) ?? name] = value
  }
  return all
}

/** Computes a child's environment as a delta from its parent's, by the rules for names of POSIX or Windows. */
import * as Result from "effect/Result"
import { reveal } from "../command/plain/secret.ts"
import type { Word } from "../command/Secret.ts"
import { checkVariable, type InvalidVariable } from "../shell/validateExec.ts"
import { joinSearchPath } from "../base/searchPath.ts"
import type { Platform } from "./paths.ts"

export type Variables = (name: string) => string | undefined

export type VariableRecord = Readonly<Record<string, string>>

/**
 * The difference between the parent's environment and the child's: `clear` drops all, `remove` drops some, `set` adds or
 * replaces. `remove` is empty if `clear` is true.
 */
export interface EnvironmentDelta {
  readonly clear: boolean
  readonly set: VariableRecord
  readonly remove: ReadonlyArray<string>
}

export interface EnvironmentRequest {
  readonly platform: Platform
  /** Looks up a variable of the parent's environment; returns `undefined` where it may not be read. */
  readonly parent: Variables
  /** Whether the parent's environment is passed on. Default: `true`. */
  readonly inherit?: boolean | undefined
  /** Entries that override; `null` removes. */
  readonly entries?: Readonly<Record<string, Word | null>> | undefined
  /** Directories to put before PATH. */
  readonly pathFirst?: ReadonlyArray<string> | undefined
  /** A variable that marks the child's descendants. */
  readonly marker?: readonly [name: string, value: string] | undefined
}

/** The PATH that is used if the environment has none. */
export const defaultPath: Readonly<Record<Platform, string>> = {
  // execvp(3) leaves this to the system; glibc has "/bin:/usr/bin", shells put /usr/local/bin first.
  posix: "/usr/local/bin:/usr/bin:/bin",
  windows: "C:\\Windows\\System32;C:\\Windows",
}

const nothing: VariableRecord = Object.freeze({})

export const emptyDelta: EnvironmentDelta = Object.freeze({ clear: false, set: nothing, remove: Object.freeze([]) })

// Without a prototype, `__proto__` is an ordinary name.
const record = (): Record<string, string> => Object.create(null)

/** Whether two names are equal: Windows ignores the case and preserves it. */
const sameName = (platform: Platform, a: string, b: string): boolean =>
  a === b || platform === "windows" && a.length === b.length && a.toUpperCase() === b.toUpperCase()

const findName = (platform: Platform, names: Iterable<string>, name: string): string | undefined => {
  for (const other of names) if (sameName(platform, other, name)) return other
  return undefined
}

export const lookupIn = (platform: Platform, variables: VariableRecord): Variables => (name) => {
  if (Object.hasOwn(variables, name)) return variables[name]
  const other = platform === "windows" ? findName(platform, Object.keys(variables), name) : undefined
  return other === undefined ? undefined : variables[other]
}

/**
 * Computes the child's environment as an {@link EnvironmentDelta}, or finds the invalid entry. Reads as little as
 * possible of the parent's environment, so that a spawn that changes nothing costs nothing ({@link emptyDelta}).
 *
 * - On Windows, of two entries whose names differ only in case, the last one applies.
 * - `pathFirst` goes before the PATH the child would have had, or before {@link defaultPath}.
 * - A cleared environment on Windows keeps SystemRoot unless an entry says otherwise: without it no program that
 *   opens a socket or draws a random number starts (libuv, so Bun and Node, insists on it too).
 */
export const childEnvironment = (request: EnvironmentRequest): Result.Result<EnvironmentDelta, InvalidVariable> => {
  const { entries, marker, parent, pathFirst, platform } = request
  const clear = request.inherit === false
  const first = pathFirst !== undefined && pathFirst.length > 0 ? pathFirst : undefined
  if (!clear && entries === undefined && first === undefined && marker === undefined) return Result.succeed(emptyDelta)

  const set = record()
  if (!clear && entries === undefined && first === undefined && marker !== undefined) {
    set[marker[0]] = marker[1]
    return Result.succeed({ clear, set, remove: emptyDelta.remove })
  }
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
    const was = lookupIn(platform, set)("PATH") ??
      (clear || findName(platform, remove, "PATH") !== undefined ? undefined : parent("PATH"))
    const name = findName(platform, Object.keys(set), "PATH") ?? "PATH"
    forget(name)
    set[name] = `${joinSearchPath(platform, first)}${platform === "posix" ? ":" : ";"}${was ?? defaultPath[platform]}`
  }
  if (clear && platform === "windows") {
    const root = parent("SystemRoot")
    const named = findName(platform, Object.keys(set), "SystemRoot") ?? findName(platform, remove, "SystemRoot")
    if (root !== undefined && named === undefined) set["SystemRoot"] = root
  }
  if (marker !== undefined) set[marker[0]] = marker[1]
  return Result.succeed({ clear, set, remove: clear ? [] : [...remove] })
}

export const childVariable = (
  platform: Platform,
  delta: EnvironmentDelta,
  parent: Variables,
  name: string,
): string | undefined => {
  const value = lookupIn(platform, delta.set)(name)
  if (value !== undefined) return value
  return delta.clear || findName(platform, delta.remove, name) !== undefined ? undefined : parent(name)
}

/**
 * Converts a delta to what a host can set: variables cannot be removed, so a removal needs the whole environment of the parent;
 * `undefined` if it may not be read.
 */
export const toSpawnEnvironment = (
  platform: Platform,
  delta: EnvironmentDelta,
  parent: () => VariableRecord | undefined,
): { readonly clear: boolean; readonly set: VariableRecord } | undefined => {
  if (delta.remove.length === 0) return { clear: delta.clear, set: delta.set }
  const variables = parent()
  return variables === undefined ? undefined : { clear: true, set: applyDelta(platform, delta, variables) }
}

/**
 * Applies a delta to the parent's environment, for a runtime that needs the whole environment or cannot remove variables. On
 * Windows a replaced variable keeps the case of the parent's name.
 */
export const applyDelta = (platform: Platform, delta: EnvironmentDelta, parent: VariableRecord): VariableRecord => {
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

/**
 * Expands a shell pattern to the sorted pathnames that match it. Source: POSIX 2.13.3 "Patterns Used for Filename Expansion".
 */
import { sortInSteps } from "../../sortInSteps.ts"
import { hasPatternCharacters } from "../../../shell-language/ShellLanguage.ts"
import type { System } from "../../System.ts"
import { FileType } from "../../Stat.ts"
import type { Coroutine } from "../../Coroutine.ts"
import { compilePattern, type ShellPattern } from "./ShellPattern.ts"

export interface PathnameOptions {
  /** Whether `*` matches names that begin with a dot. */
  readonly dots: boolean
  readonly ignoreCase: boolean
  readonly extended: boolean
  /** Whether `**` matches any number of directories. */
  readonly globstar: boolean
}

/** Number of names that are matched between two yields. */
const namesPerPause = 64

const unescape = (pattern: string): string => pattern.replace(/\\(.)/gsu, "$1")

/** Compares by code point, as the C locale does. */
export const compareCodePoints = (left: string, right: string): number => {
  const length = Math.min(left.length, right.length)
  for (let at = 0; at < length; at++) {
    const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)]
    if (a !== b) {
      // Surrogates are parts of code points above all other units.
      const high = (unit: number) => unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
      return high(a) - high(b)
    }
  }
  return left.length - right.length
}

/** Splits a pattern at slashes, including escaped ones. */
const partsOf = (pattern: string): ReadonlyArray<string> => pattern.replaceAll("\\/", "/").split("/")

export function* expandPathname(
  system: System,
  pattern: string,
  options: PathnameOptions,
): Coroutine<ReadonlyArray<string>> {
  const parts = partsOf(pattern)
  let paths: ReadonlyArray<string> = [""]
  for (const [index, part] of parts.entries()) {
    const last = index === parts.length - 1
    if (part === "") {
      // The previous part has added its slash; a leading slash means the root.
      if (index === 0) paths = ["/"]
      else if (last) paths = yield* filterPaths(paths, (path) => isDirectory(system, path))
      else paths = paths.map((path) => `${path}/`)
      continue
    }
    const tail = last ? "" : "/"
    if (options.globstar && part === "**") {
      const below: Array<string> = []
      paths = yield* filterPaths(paths, (path) => path === "" || isDirectory(system, path))
      for (const path of paths) yield* collectDescendants(system, path, options, last, below)
      paths = last ? below : below.map((path) => path === "" || path.endsWith("/") ? path : `${path}/`)
      continue
    }
    if (!hasPatternCharacters(part)) {
      const name = unescape(part)
      paths = paths.map((path) => path + name + tail)
      // Searching for a later part shows whether the name is a directory; a stat of each of many names would take too
      // long.
      if (last) paths = yield* filterPaths(paths, (path) => typeof system.stat(path, { follow: false }) === "object")
      continue
    }
    const matcher = compilePattern(part, options)
    const dotted = options.dots || part.startsWith(".") || part.startsWith("\\.")
    const found: Array<string> = []
    for (const path of paths) for (const name of yield* namesIn(system, path, matcher, dotted)) found.push(path + name)
    paths = last ? found : yield* filterPaths(found.map((path) => path + tail), (path) => isDirectory(system, path))
  }
  return yield* sortInSteps(paths.filter((path) => path !== ""), compareCodePoints)
}

function* filterPaths(paths: ReadonlyArray<string>, test: (path: string) => boolean): Coroutine<ReadonlyArray<string>> {
  const kept: Array<string> = []
  for (const path of paths) {
    yield
    if (test(path)) kept.push(path)
  }
  return kept
}

export const isDirectory = (system: Pick<System, "stat">, path: string): boolean => {
  const found = system.stat(path)
  return typeof found === "object" && found.type === FileType.directory
}

function* namesIn(
  system: System,
  path: string,
  matcher: ShellPattern,
  dotted: boolean,
): Coroutine<ReadonlyArray<string>> {
  const entries = system.list(path === "" ? "." : path)
  yield
  if (typeof entries === "number") return []
  const names: Array<string> = []
  for (const [index, { name }] of entries.entries()) {
    if (index % namesPerPause === namesPerPause - 1) yield
    if ((dotted || !name.startsWith(".")) && (yield* matcher.matches(name))) names.push(name)
  }
  return names
}

/** Collects a directory and its descendants, only directories unless `files`, without following links. */
function* collectDescendants(
  system: System,
  path: string,
  options: PathnameOptions,
  files: boolean,
  found: Array<string>,
): Coroutine<void> {
  found.push(path)
  const entries = system.list(path === "" ? "." : path)
  yield
  if (typeof entries === "number") return
  const start = path === "" || path.endsWith("/") ? path : `${path}/`
  for (const { name, type } of entries) {
    if (name.startsWith(".") && !options.dots) continue
    if (type === FileType.directory) yield* collectDescendants(system, start + name, options, files, found)
    else if (files) found.push(start + name)
  }
}

/**
 * Names of files that match a pattern.
 *
 * Source: POSIX 2.13.3 "Patterns Used for Filename Expansion".
 *
 * @module
 */
import type { System } from "../../System.ts"
import { FileType } from "../../Stat.ts"
import { isMagic, type Pattern, patternOf } from "./Pattern.ts"

/** How names are matched. */
export interface GlobOptions {
  /** `*` matches names that start with a dot too. */
  readonly dots: boolean
  readonly ignoreCase: boolean
  readonly extended: boolean
  /** `**` goes down any number of folders. */
  readonly globstar: boolean
}

const unescape = (pattern: string): string => pattern.replace(/\\(.)/gsu, "$1")

/** Orders by code point, as the C locale does. */
export const byCodePoint = (left: string, right: string): number => {
  const length = Math.min(left.length, right.length)
  for (let at = 0; at < length; at++) {
    const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)]
    if (a !== b) {
      // Surrogates stand for code points above every other unit.
      const high = (unit: number) => unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
      return high(a) - high(b)
    }
  }
  return left.length - right.length
}

/** The parts of a pattern between slashes; an escaped slash is a slash. */
const partsOf = (pattern: string): ReadonlyArray<string> => pattern.replaceAll("\\/", "/").split("/")

/** All paths that match, in order; none when nothing does. */
export const glob = (system: System, pattern: string, options: GlobOptions): ReadonlyArray<string> => {
  const parts = partsOf(pattern)
  let paths: ReadonlyArray<string> = [""]
  for (const [index, part] of parts.entries()) {
    const last = index === parts.length - 1
    if (part === "") {
      // The slash before was added with the part before it; a pattern that starts with one starts at the root.
      if (index === 0) paths = ["/"]
      else if (last) paths = paths.filter((path) => isFolder(system, path))
      else paths = paths.map((path) => `${path}/`)
      continue
    }
    const tail = last ? "" : "/"
    if (options.globstar && part === "**") {
      const below = paths.flatMap((path) => descend(system, path, options, last))
      paths = last ? below : below.map((path) => path === "" || path.endsWith("/") ? path : `${path}/`)
      continue
    }
    if (!isMagic(part)) {
      const name = unescape(part)
      paths = paths.map((path) => path + name + tail).filter((path) =>
        last ? typeof system.stat(path, { follow: false }) === "object" : isFolder(system, path)
      )
      continue
    }
    const matcher = patternOf(part, options)
    const dotted = options.dots || part.startsWith(".") || part.startsWith("\\.")
    paths = paths.flatMap((path) => namesIn(system, path, matcher, dotted).map((name) => path + name))
    if (!last) paths = paths.map((path) => path + tail).filter((path) => isFolder(system, path))
  }
  return paths.filter((path) => path !== "").sort(byCodePoint)
}

const isFolder = (system: System, path: string): boolean => {
  const found = system.stat(path)
  return typeof found === "object" && found.type === FileType.directory
}

const namesIn = (system: System, path: string, matcher: Pattern, dotted: boolean): Array<string> => {
  const entries = system.list(path === "" ? "." : path)
  if (typeof entries === "number") return []
  const names = entries.map((entry) => entry.name)
  return names.filter((name) => (dotted || !name.startsWith(".")) && matcher.matches(name))
}

/** A folder, and what is below it: folders alone unless files are wanted too. Links are not followed. */
const descend = (system: System, path: string, options: GlobOptions, files: boolean): Array<string> => {
  const found = [path]
  const entries = system.list(path === "" ? "." : path)
  if (typeof entries === "number") return found
  const start = path === "" || path.endsWith("/") ? path : `${path}/`
  for (const { name, type } of entries) {
    if (name.startsWith(".") && !options.dots) continue
    if (type === FileType.directory) {
      for (const path of descend(system, start + name, options, files)) found.push(path)
    } else if (files) found.push(start + name)
  }
  return found
}

/**
 * Checks paths of the FileSystem branch, and splits, joins and encodes them.
 *
 * A path counts from the root of the leaf: `src/a.ts` and `/src/a.ts` are the same file, `""`, `"/"` and `"."` the root. It
 * has forward slashes on every system. A leaf checks the rules of its own system, such as Windows' reserved names.
 */
import * as Result from "effect/Result"
import { encodeUtf8 } from "../base/bytes.ts"

/** Maximum length of a whole path in UTF-8, in bytes: Linux's `PATH_MAX` without its NUL. */
const maxPathBytes = 4_095

/** Maximum length of one name in UTF-8, in bytes: `NAME_MAX` of most file systems. */
const maxNameBytes = 255

export interface PathProblem {
  readonly faultKind: "InvalidPath" | "PathTooLong"
  readonly what: string
}

// deno-lint-ignore no-control-regex
const controlCharacter = /[\x00-\x1f\x7f]/

/** Whether a text is longer than `max` bytes of UTF-8; most are so short that it need not be encoded. */
const isLonger = (text: string, max: number): boolean => text.length * 3 > max && encodeUtf8(text).length > max

const problem = (faultKind: PathProblem["faultKind"], what: string): Result.Result<never, PathProblem> =>
  Result.fail({ faultKind, what })

/** Splits a path into its names; the root has none. Fails with the reason why a path is invalid. */
export const parsePath = (path: string): Result.Result<ReadonlyArray<string>, PathProblem> => {
  if (!path.isWellFormed()) return problem("InvalidPath", "it is not well-formed Unicode")
  const control = controlCharacter.exec(path)
  if (control !== null) {
    return problem("InvalidPath", `it has the control character U+${codePoint(control[0])}`)
  }
  if (isLonger(path, maxPathBytes)) return problem("PathTooLong", `it is longer than ${maxPathBytes} bytes`)
  const relative = path.startsWith("/") ? path.slice(1) : path
  if (relative === "" || relative === ".") return Result.succeed([])
  const names = (relative.startsWith("./") ? relative.slice(2) : relative).split("/")
  for (const name of names) {
    if (name === "") return problem("InvalidPath", "it has an empty name: two slashes, or one at the end")
    if (name === "." || name === "..") return problem("InvalidPath", `one of its names is "${name}"`)
    if (isLonger(name, maxNameBytes)) {
      return problem("PathTooLong", `it has a name of more than ${maxNameBytes} bytes`)
    }
  }
  return Result.succeed(names)
}

const codePoint = (character: string): string => character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")

export const joinPath = (folder: string, name: string): string => folder === "" ? name : `${folder}/${name}`

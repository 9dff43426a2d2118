/**
 * Decides which paths the `.gitignore` files of a tree exclude.
 *
 * The rules of a folder take precedence over those above it. npm `ignore` excludes everything below an excluded folder, but
 * git lets a deeper file include a folder again; such folders are added to the rules as exceptions.
 *
 * Git does not follow a `.gitignore` that is a link. Source: gitignore(5).
 */
import * as Effect from "effect/Effect"
import ignore, { type Ignore } from "ignore"
import { joinPath } from "./FilePath.ts"
import { Files } from "./Files.ts"

interface IgnoreScope {
  readonly folder: string
  readonly rules: Ignore
  readonly text: string
}

/** The rules that apply in a folder, the outermost first. */
export type IgnoreScopes = ReadonlyArray<IgnoreScope>

const fileName = ".gitignore"

/** Maximum size of a `.gitignore`; a larger one has no rules. */
const maxBytes = 1024 * 1024

/** `ignore` compiles each `**` to a loop, and several in one pattern to nested loops. */
const maxDoubleStars = 3

const makeRules = (text: string): Ignore =>
  ignore({ ignoreCase: false }).add(
    text.split(/\r?\n/).filter((line) => line.split("**").length <= maxDoubleStars + 1),
  )

/** The path below a folder in the form for rules: a folder ends with a slash. */
const below = (folder: string, path: string, isDirectory: boolean): string =>
  `${folder === "" ? path : path.slice(folder.length + 1)}${isDirectory ? "/" : ""}`

export const isIgnored = (scopes: IgnoreScopes, path: string, isDirectory: boolean): boolean => {
  for (const { folder, rules } of scopes.toReversed()) {
    const { ignored, unignored } = rules.test(below(folder, path, isDirectory))
    if (ignored) return true
    if (unignored) return false
  }
  return false
}

const escape = (path: string): string => path.replace(/[\\*?[\]!# ]/g, "\\$&")

/** The text of a `.gitignore`; fails for a link, which git does not follow. */
const readRules = (path: string): Effect.Effect<string, unknown, Files> =>
  Effect.tap(
    Files.readText(path, { maxBytes }),
    () => Effect.flatMap(Files.stat(path), ({ isSymlink }) => isSymlink ? Effect.fail("link") : Effect.void),
  )

/**
 * The rules that apply in a folder that is not excluded, or that was requested. `known` are the paths of all rules, if
 * they are known.
 */
export const enterFolder = (
  scopes: IgnoreScopes,
  path: string,
  known?: ReadonlySet<string>,
): Effect.Effect<IgnoreScopes, never, Files> =>
  Effect.map(
    known?.has(joinPath(path, fileName)) === false
      ? Effect.succeedNone
      : Effect.option(readRules(joinPath(path, fileName))),
    (own) => {
      const above = scopes.map((scope) => {
        const name = below(scope.folder, path, true)
        if (path === "" || !scope.rules.test(name).ignored) return scope
        const text = `${scope.text}\n!/${escape(name)}`
        return { ...scope, text, rules: makeRules(text) }
      })
      if (own._tag === "None") return above
      return [...above, { folder: path, text: own.value, rules: makeRules(own.value) }]
    },
  )

export const ignoreScopes = (folder: string): Effect.Effect<IgnoreScopes, never, Files> =>
  Effect.gen(function* () {
    const names = folder === "" ? [] : folder.split("/")
    let scopes: IgnoreScopes = yield* enterFolder([], "")
    for (let count = 1; count <= names.length; count++) {
      scopes = yield* enterFolder(scopes, names.slice(0, count).join("/"))
    }
    return scopes
  })

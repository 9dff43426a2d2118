/**
 * Checks the paths of a git call, with links resolved: `-C` leads to a directory where commands may run, no word into a
 * repository's folder or into settings of git and ssh, and new files into the roots.
 */
import * as Result from "effect/Result"
import { quoteIfNeeded } from "../base/quote.ts"
import type { LeafFiles, SeenFile } from "../shell/LeafFiles.ts"
import { allowDirectory, currentDirectory, isWithinRoot } from "./allowDirectory.ts"
import type { CompiledRules } from "./CompiledRules.ts"
import { callOf, gitCommands } from "./gitGuard.ts"
import { isAbsolutePath } from "../base/isAbsolutePath.ts"
import { below, joined } from "./paths.ts"
import { mayLeadElsewhere } from "./launchers/gitCommands.ts"
import { isProtectedPath, maxLetters } from "./launchers/gitFormatPatch.ts"
import { notAllowed, type PolicyRefusal } from "./PolicyRefusal.ts"

/** Names that lead to settings, as a part of a path. */
const settings = /[/\\](?:\.git|git~1|\.ssh|\.config|\.gnupg)(?:[/\\]|$)/i

/** Commands that make files or folders at paths given by their words. */
const makes = /^(?:archive|bundle|clone|format-patch|init|merge-file|worktree)$/

const makesFiles = /^(?:archive|bundle|merge-file)$/

/** The paths that a word may contain: the word, the part after `=`, and the part after the letters of options. */
const pathsOf = (word: string): ReadonlyArray<string> => {
  const at = word.indexOf("=")
  const behind = /^-\w./.test(word)
    ? Array.from(word.slice(2, 2 + maxLetters), (_, index) => word.slice(index + 2))
    : []
  return [word, ...(at < 0 ? [] : [word.slice(at + 1)]), ...behind]
}

/** The absolute path by its text alone; links are not followed. */
const written = (at: string, path: string): string =>
  !isAbsolutePath(path) ? below(at, path) : path.startsWith("/") ? below("/", path) : path.replaceAll("/", "\\")

/** Lines of a rebase have the paths of worktrees, and git ends a line there. */
// deno-lint-ignore no-control-regex
const control = /[\x00-\x1f\x7f]/

/** `..` after another part of a path: if that part is missing or a link, the path leads elsewhere than its text. */
const goesBack = /(?:^|[/\\])(?!\.{1,2}[/\\])[^/\\]+[/\\]+(?:\.[/\\]+)*\.\.(?:[/\\]|$)/

/** The names that `git clone` may make of a repository's address. */
const guesses = (word: string): ReadonlyArray<string> =>
  word.split(/[/\\:@]/).map((part) => part.replace(/(?: |\.git|\.bundle)+$/i, "")).filter((name) =>
    name !== "" && name !== "." && name !== ".."
  ).flatMap((name) => [name, `${name}.git`])

/** Finds canonical paths, also of missing entries; `undefined` below a link that leads nowhere. Each folder is read once. */
const realPaths = (files: LeafFiles): (path: string) => string | undefined => {
  const known = new Map<string, string | undefined>()
  const look = (path: string): string | undefined => {
    if (!known.has(path)) known.set(path, files.realPath(path))
    return known.get(path)
  }
  return (path) => {
    // For a missing path, the part that exists is resolved: git makes the folders below it.
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
      const part = path.slice(0, end)
      const real = look(part)
      if (real !== undefined) return below(real, path.slice(end))
      if (files.isLink(part)) return undefined
    }
    return below("/", path)
  }
}

/** The refusal of a call of git, or of a program that calls it; `undefined` for any other. */
export const gitPlaceRefusal = (
  { files, roots }: CompiledRules,
  words: ReadonlyArray<string>,
  directory: SeenFile | undefined,
): PolicyRefusal | undefined => {
  const commands = gitCommands(words)
  if (commands.length === 0 || files === undefined) return undefined
  const refused = (word: string, why: string): PolicyRefusal =>
    notAllowed("launchers", "git", `"git" is not allowed with ${quoteIfNeeded(word)}, ${why}`)
  const start = directory?.file ?? currentDirectory(files) ?? "/"
  const realPath = realPaths(files)
  for (const words of commands) {
    const { command: [name = "", ...rest], place } = callOf(words)
    let at = start
    for (const path of place) {
      const allowed = allowDirectory(files, roots, joined(at, path), true)
      if (Result.isFailure(allowed)) return allowed.failure
      at = allowed.success.file
    }
    if (control.test(at)) return refused(at, "a directory whose name has control characters")
    if (!mayLeadElsewhere(name)) continue
    const allowed = roots === undefined ? undefined : Result.getOrElse(roots(), () => [])
    const isInside = (path: string | undefined): boolean =>
      allowed === undefined || (path !== undefined && allowed.some((root) => isWithinRoot(path, root)))
    for (const word of rest) {
      // For an option, each part that may be a path.
      for (const path of [...pathsOf(word), ...(name === "clone" ? guesses(word) : [])]) {
        if (path === "") continue
        if (goesBack.test(path)) return refused(word, "which uses '..' after another folder")
        const real = realPath(joined(at, path))
        if (makes.test(name) && control.test(real ?? path)) {
          return refused(word, "a path with control characters")
        }
        // Other commands write in the working tree, but through links.
        if (!isInside(real) && (makes.test(name) || (real !== undefined && isInside(written(at, path))))) {
          return refused(word, "which is outside of the allowed roots")
        }
        // `.git` may be a file that leads to a repository outside, which git would reinitialize.
        if (name === "init" && files.realPath(`${real ?? path}/.git`) !== undefined) {
          return refused(word, "which is already a repository: start git in it")
        }
        // The directory's own name does not come from the word.
        const own = real === at ? "" : real?.startsWith(`${at}/`) === true ? real.slice(at.length) : real
        if (own !== undefined && settings.test(own)) {
          return refused(word, "which is a file of settings that git would run")
        }
        if (own !== undefined && makesFiles.test(name) && isProtectedPath(own)) {
          return refused(word, "a file that other programs run")
        }
      }
    }
  }
  return undefined
}

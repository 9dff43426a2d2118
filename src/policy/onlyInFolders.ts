/**
 * Makes the settings with which git works only in the folders of checked repositories, and fails in any other: git passes
 * settings from variables on to its submodule processes, and a submodule may name programs of its own.
 *
 * A setting that git reads first is invalid outside of these folders; inside, a file included under the condition
 * `gitdir` makes it valid. It therefore does not matter how git reaches a folder: through a link in an index or in a
 * commit that it checks out, a `.git` file, or a replaced folder.
 *
 * Source: git-config(1), "Conditional includes"; `prepare_repo_settings` of git's repo-settings.c.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { nodeBuiltins } from "../base/nodeBuiltins.ts"
import type { GitSetting } from "./gitVariables.ts"
import { passFile } from "../script/passFile.ts"

const included = new TextEncoder().encode("[feature]\n\texperimental = false\n")

/** git shows this text as a bad value. */
const why = "the access policy does not allow git in submodules or other repositories here"

/** The condition that a repository's folder is this one: a pattern, in which a backslash of POSIX is escaped too. */
const isFolder = (path: string): string => {
  const isWindows = /^[A-Za-z]:/.test(path)
  const pattern = (isWindows ? path.replaceAll("\\", "/") : path).replace(/[*?[\\]/g, "\\$&")
  return `includeIf.gitdir${isWindows ? "/i" : ""}:${pattern}.path`
}

/**
 * Settings for repositories in these canonical folders, and for the worktrees of those that have no worktree-specific
 * settings. They apply while the scope is open.
 */
export const onlyInFolders = (
  folders: ReadonlyArray<{ readonly folder: string; readonly hasOwnWorktrees: boolean }>,
): Effect.Effect<ReadonlyArray<GitSetting>, string, Scope.Scope> =>
  Effect.gen(function* () {
    const builtins = nodeBuiltins()
    if (builtins === undefined) return yield* Effect.fail("there is no file system")
    const { word } = yield* Effect.acquireRelease(
      Effect.try({
        try: () => {
          const file = passFile(builtins, true)
          file.write(included)
          return file
        },
        catch: String,
      }),
      (file) => Effect.sync(() => file.close()),
    )
    return [
      ["feature.experimental", why],
      ...folders.flatMap(({ folder, hasOwnWorktrees }): ReadonlyArray<GitSetting> => [
        [isFolder(folder), word],
        ...(hasOwnWorktrees ? [] : [[isFolder(folder).replace(/\.path$/, "/worktrees/*.path"), word] as const]),
      ]),
    ]
  })

/** Plans a commit of files on the tree of its parent: refuses forbidden paths, and decides each file's mode. */
import * as Effect from "effect/Effect"
import { quote } from "../base/quote.ts"
import { gitFault } from "./GitBranch.ts"
import type { GitCommitFiles, GitFault } from "./GitEntry.ts"

/** A file of a commit; without content it is removed. */
export interface PlannedFile {
  readonly path: string
  readonly mode: string
  readonly content: string | Uint8Array | undefined
}

const kinds: ReadonlyMap<string, string> = new Map([
  ["040000", "a folder"],
  ["120000", "a link"],
  ["160000", "a submodule"],
])

export const foldersAbove = (path: string): ReadonlyArray<string> =>
  path.split("/").slice(1).map((_, at) => path.split("/").slice(0, at + 1).join("/"))

/** Fails if a branch is not at the commit that the caller read. */
export const requireParent = (request: typeof GitCommitFiles.Type, tip: string): Effect.Effect<void, GitFault> =>
  request.parent === undefined || request.parent === tip
    ? Effect.void
    : gitFault(request, "Conflict", `the branch is at ${tip}: read it again`)

export const planCommit = (
  request: typeof GitCommitFiles.Type,
  modes: ReadonlyMap<string, string>,
): Effect.Effect<ReadonlyArray<PlannedFile>, GitFault> =>
  Effect.forEach(request.files, (file) => {
    const { path } = file
    const isRemoved = "remove" in file
    const mode = modes.get(path)
    if (isRemoved && mode === undefined) return gitFault(request, "NotFound", `there is no file ${quote(path)}`)
    const kind = mode === undefined || (isRemoved && mode === "120000") ? undefined : kinds.get(mode)
    if (kind !== undefined) return gitFault(request, "InvalidRequest", `${quote(path)} is ${kind}`)
    const above = foldersAbove(path).find((folder) => (modes.get(folder) ?? "040000") !== "040000")
    if (above !== undefined) return gitFault(request, "InvalidRequest", `${quote(above)} is not a folder`)
    const isExecutable = isRemoved ? false : file.executable ?? mode === "100755"
    const content = isRemoved ? undefined : file.content
    return Effect.succeed({ path, mode: isExecutable ? "100755" : "100644", content })
  })

/** `git hash-object` and `git write-tree`. Source: git-hash-object(1), git-write-tree(1). */
import { fatal } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { ObjectStore } from "../repository/ObjectStore.ts"
import { readFileIfExists } from "../repository/files.ts"
import { readStdinBytes } from "../stdin.ts"
import { writeIndexTree } from "../worktree/commitMessage.ts"

export const hashObject: Command = async (git, args) => {
  const line = git.parse("hash-object", "w t: stdin path: no-filters literally stdin-paths", args)
  line.refuse("path stdin-paths literally", "name the files")
  const type = line.value("t") ?? "blob"
  if (type !== "blob" && type !== "tree" && type !== "commit" && type !== "tag") {
    return fatal(`invalid object type "${type}"`)
  }
  const contents: Array<Uint8Array> = line.has("stdin") ? [await readStdinBytes(git.system)] : []
  for (const path of line.allOperands) {
    contents.push(
      await readFileIfExists(git.system, path) ??
        fatal(`could not open '${path}' for reading: No such file or directory`),
    )
  }
  const repository = line.has("w") ? await git.repository() : undefined
  for (const bytes of contents) {
    git.printLine(
      repository !== undefined
        ? await repository.objects.write(type, bytes)
        : await new ObjectStore(git.system, "").hash(type, bytes),
    )
  }
}

export const writeTree: Command = async (git) => {
  const repository = await git.worktree()
  if ((await repository.index()).conflicts.length > 0) return fatal("write-tree: error building trees")
  git.printLine(await writeIndexTree(repository))
}

/** `git cat-file`. Source: git-cat-file(1). */
import { fatal, GitError, unsupported } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { octal } from "../diff/printPatch.ts"
import { peel, resolveRevision } from "../history/revisions.ts"
import { quotePath } from "../quotePath.ts"
import { modes } from "../repository/objects.ts"
import { readStdinBytes } from "../stdin.ts"

export const catFile: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse("cat-file", "p t s e batch:: batch-check:: textconv filters", args)
  if (line.has("batch") || line.has("batch-check") || line.has("textconv") || line.has("filters")) {
    const isCheck = line.has("batch-check")
    if (
      (line.value("batch") ?? "") !== "" || (line.value("batch-check") ?? "") !== "" || line.has("textconv") ||
      line.has("filters")
    ) unsupported("a format of git cat-file", "leave it out")
    const names = new TextDecoder().decode(await readStdinBytes(git.system)).split("\n").filter((name) => name !== "")
    for (const name of names) {
      const oid = await resolveRevision(repository, name)
      const object = oid === undefined ? undefined : await repository.objects.readIfExists(oid)
      if (object === undefined) git.printLine(`${name} missing`)
      else {
        git.printLine(`${oid} ${object.type} ${object.bytes.length}`)
        if (!isCheck) {
          git.out.putBytes(object.bytes)
          git.print("\n")
        }
      }
      await git.pause()
    }
    return
  }
  const [first, second] = line.operands
  const name = second ?? first
  if (name === undefined) throw new GitError(129, "usage: git cat-file (-t | -s | -e | -p | <type>) <object>")
  const oid = await resolveRevision(repository, name)
  if (oid === undefined || await repository.objects.readIfExists(oid) === undefined) {
    return line.has("e") && oid !== undefined ? 1 : fatal(`Not a valid object name ${name}`)
  }
  const { bytes, type } = await repository.objects.read(oid)
  if (line.has("e")) return 0
  if (line.has("t")) return git.printLine(type)
  if (line.has("s")) return git.printLine(`${bytes.length}`)
  if (second !== undefined && (first === "blob" || first === "tree" || first === "commit" || first === "tag")) {
    git.out.putBytes((await repository.objects.read(await peel(repository, oid, first))).bytes)
    return
  }
  if (!line.has("p")) return fatal(`invalid object type "${first}"`)
  if (type !== "tree") return git.out.putBytes(bytes)
  for (const entry of await repository.objects.tree(oid)) {
    const kind = entry.mode === modes.tree ? "tree" : entry.mode === modes.submodule ? "commit" : "blob"
    git.printLine(`${octal(entry.mode)} ${kind} ${entry.oid}\t${quotePath(entry.name)}`)
  }
}

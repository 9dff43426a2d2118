/** `git show-ref`. Source: git-show-ref(1). */
import { fatal } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { peel } from "../history/revisions.ts"

export const showRef: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse(
    "show-ref",
    "head heads tags verify q|quiet s|hash:: d|dereference abbrev:: exclude-existing::",
    args,
  )
  line.refuse("exclude-existing abbrev", "leave it out")
  let count = 0
  const print = async (name: string, oid: string): Promise<void> => {
    count++
    if (line.has("q")) return
    git.printLine(line.has("s") ? oid : `${oid} ${name}`)
    if (line.has("d") && (await repository.objects.read(oid)).type === "tag") {
      git.printLine(`${await peel(repository, oid)} ${name}^{}`)
    }
  }
  if (line.has("verify")) {
    for (const name of line.operands) {
      const oid = await repository.refs.resolve(name)
      if (oid === undefined || (!name.startsWith("refs/") && name !== "HEAD")) {
        return line.has("q") ? 1 : fatal(`'${name}' - not a valid ref`)
      }
      await print(name, oid)
    }
    return 0
  }
  const head = await repository.head()
  if (line.has("head") && head !== undefined) await print("HEAD", head)
  for (const [name, oid] of await repository.refs.list()) {
    if (
      (line.has("heads") || line.has("tags")) && !(line.has("heads") && name.startsWith("refs/heads/")) &&
      !(line.has("tags") && name.startsWith("refs/tags/"))
    ) continue
    if (
      line.operands.length > 0 && !line.operands.some((pattern) => name === pattern || name.endsWith(`/${pattern}`))
    ) continue
    await print(name, oid)
  }
  return count === 0 ? 1 : 0
}

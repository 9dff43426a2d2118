/** `git update-ref` and `git symbolic-ref`. Source: git-update-ref(1), git-symbolic-ref(1). */
import { fatal } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { requireRevision, resolveRevision } from "../history/revisions.ts"
import { shortRefName } from "../repository/Refs.ts"

export const symbolicRef: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse("symbolic-ref", "q|quiet short d|delete m:", args)
  const [name = "HEAD", target] = line.operands
  line.refuse("d", "use git branch -d")
  if (target !== undefined) {
    if (!target.startsWith("refs/")) return fatal(`Refusing to point ${name} outside of refs/`)
    return repository.refs.setSymbolic(name, target)
  }
  const found = await repository.refs.target(name)
  if (found === undefined) return line.has("q") ? 1 : fatal(`ref ${name} is not a symbolic ref`)
  git.printLine(line.has("short") ? shortRefName(found) : found)
}

export const updateRef: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse("update-ref", "d m: no-deref stdin", args)
  const [name = "", value, old] = line.operands
  line.refuse("stdin no-deref", "name one reference")
  const ref = name === "HEAD" ? await repository.refs.target("HEAD") ?? "HEAD" : name
  if (line.has("d")) return repository.refs.delete(ref)
  if (!ref.startsWith("refs/") && ref !== "HEAD") {
    return fatal(`update_ref failed for ref '${name}': refusing to update ref with bad name '${name}'`)
  }
  const oid = await requireRevision(repository, value ?? "")
  const now = await repository.refs.resolve(ref)
  if (old !== undefined && now !== await resolveRevision(repository, old)) {
    return fatal(`update_ref failed for ref '${name}': cannot lock ref '${name}': is at ${now} but expected ${old}`)
  }
  await repository.refs.update(ref, oid)
}

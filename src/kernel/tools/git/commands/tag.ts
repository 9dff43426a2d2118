/** `git tag`. Source: git-tag(1). */
import { fatal, GitError, unsupported } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { formatRef, matchesCommits, nameMatcher, readRefRow, type RefRow, sortRefRows } from "../branches/refListing.ts"
import { abbreviate, peel, requireCommit, requireRevision } from "../history/revisions.ts"
import { readTextIfExists } from "../repository/files.ts"
import { cleanMessage } from "../worktree/commitMessage.ts"

export const tag: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse(
    "tag",
    "l|list d|delete a|annotate m|message: F|file: f|force n:: contains:: merged:: no-merged:: no-contains:: sort: format: points-at: s|sign v|verify column:: no-column",
    args,
  )
  if (line.has("s") || line.has("v")) unsupported("signing tags", "use git tag -a")
  const { refs } = repository
  if (line.has("d")) {
    let code = 0
    for (const name of line.operands) {
      const oid = await refs.resolve(`refs/tags/${name}`)
      if (oid === undefined) {
        git.warn(`error: tag '${name}' not found.`)
        code = 1
        continue
      }
      await refs.delete(`refs/tags/${name}`)
      git.printLine(`Deleted tag '${name}' (was ${abbreviate(repository, oid)})`)
    }
    return code
  }
  const lists = ["l", "n", "contains", "merged", "no-merged", "no-contains", "sort", "format", "points-at"].some((
    option,
  ) => line.has(option))
  if (lists || line.operands.length === 0) {
    const matches = nameMatcher(line.operands)
    const rows: Array<RefRow> = []
    const points = line.value("points-at")
    const target = points === undefined ? undefined : await requireCommit(repository, points)
    for (const [ref, oid] of await refs.list("refs/tags/")) {
      const name = ref.slice("refs/tags/".length)
      if (!matches(name) || !await matchesCommits(repository, line, oid)) continue
      if (target !== undefined && await peel(repository, oid, "commit") !== target) continue
      rows.push(await readRefRow(repository, name, oid))
    }
    const format = line.value("format")
    for (const { name, oid, subject } of sortRefRows(rows, line.value("sort"))) {
      if (format !== undefined) git.printLine(formatRef(format, `refs/tags/${name}`, oid, subject))
      else if (line.has("n")) git.printLine(`${name.padEnd(15)} ${subject}`)
      else git.printLine(name)
    }
    return
  }
  const [name = "", given = "HEAD"] = line.operands
  if (!/^[^-]/.test(name)) return fatal(`'${name}' is not a valid tag name.`)
  refs.requireName(name, "tag")
  const old = await refs.resolve(`refs/tags/${name}`)
  if (old !== undefined && !line.has("f")) return fatal(`tag '${name}' already exists`)
  if (given === "HEAD" && await repository.head() === undefined) {
    return fatal("Failed to resolve 'HEAD' as a valid ref.")
  }
  let oid = await requireRevision(repository, given)
  if (line.has("a") || line.has("m") || line.has("F")) {
    const file = line.value("F")
    const message = line.has("m")
      ? line.values("m").map((text) => `${text}\n`).join("\n")
      : file === undefined
      ? undefined
      : await readTextIfExists(repository.system, file)
    if (message === undefined) {
      throw new GitError(
        128,
        "hint: git of the sandbox starts no editor; give the message by -m\nfatal: no tag message?",
      )
    }
    const { type } = await repository.objects.read(oid)
    oid = await repository.objects.writeTag({
      object: oid,
      type,
      name,
      tagger: await repository.signature("COMMITTER"),
      message: cleanMessage(message, false),
    })
  }
  await refs.update(`refs/tags/${name}`, oid)
  if (old !== undefined && old !== oid) {
    git.printLine(`Updated tag '${name}' (was ${abbreviate(repository, old)})`)
  }
  return 0
}

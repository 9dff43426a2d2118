/** `git show`. Source: git-show(1). */
import { fatal } from "../GitError.ts"
import type { Command, Session } from "../Session.ts"
import { prepareChanges, readDiffOptions } from "../diff/diffOptions.ts"
import { entryPrinter } from "../history/LogEntryPrinter.ts"
import { commitChanges } from "../history/commitChanges.ts"
import { logSpec, readPretty, refuseLogOptions } from "../history/logOptions.ts"
import { formatPretty, isNamedFormat } from "../history/prettyFormat.ts"
import { isPathThere, parseRange } from "../history/revisionRange.ts"
import { failAmbiguous, peel, resolveRevision } from "../history/revisions.ts"
import { walkCommits } from "../history/walkCommits.ts"
import type { Repository } from "../repository/Repository.ts"
import type { Commit } from "../repository/objects.ts"
import { parsePathspec, type Pathspec } from "../worktree/Pathspec.ts"

const showTree = async (git: Session, repository: Repository, name: string, oid: string): Promise<void> => {
  git.print(`tree ${name}\n\n`)
  for (const entry of await repository.objects.tree(oid)) {
    git.printLine(entry.name + (entry.mode === 0o40000 ? "/" : ""))
  }
}

export const show: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse("show", logSpec, args, true)
  refuseLogOptions(line)
  const operands = [...line.operands]
  const revisions: Array<string> = []
  while (
    operands[0] !== undefined &&
    !(line.paths === undefined && await resolveRevision(repository, operands[0]) === undefined &&
      isPathThere(repository, operands[0]))
  ) {
    revisions.push(operands.shift() ?? "")
  }
  const pathspec = parsePathspec(repository, [...operands, ...line.paths ?? []])
  const diff = await readDiffOptions(git, repository, line, "patch")
  const pretty = await readPretty(repository, line)
  const printer = entryPrinter(git, repository, pretty, diff)
  let isFirst = true
  for (const name of revisions.length === 0 ? ["HEAD"] : revisions) {
    if (name.includes("..")) {
      const range = await parseRange(repository, { ...line, operands: [name], paths: [] })
      for await (const commit of walkCommits(repository, range)) {
        await printer.print(
          commit,
          commit.parents.length > 1
            ? undefined
            : await prepareChanges(repository, await commitChanges(repository, commit, pathspec), diff),
        )
      }
      continue
    }
    let oid = await resolveRevision(repository, name)
    if (oid === undefined) {
      return revisions.length > 0
        ? failAmbiguous(name)
        : fatal(`your current branch '${await repository.branch() ?? "HEAD"}' does not have any commits yet`)
    }
    const { bytes, type } = await repository.objects.read(oid)
    if (type === "blob") {
      git.out.putBytes(bytes)
      continue
    }
    if (type === "tree") {
      if (!isFirst) git.print("\n")
      await showTree(git, repository, name, oid)
      isFirst = false
      continue
    }
    if (type === "tag") {
      const tag = await repository.objects.tag(oid)
      git.print(`tag ${tag.name}\n`)
      if (tag.tagger !== undefined) {
        const [, date = ""] = /Date: {3}(.*)/.exec(
          formatPretty(repository, { ...emptyCommit, author: tag.tagger, committer: tag.tagger }, {
            ...pretty,
            format: "medium",
            decorations: undefined,
          }),
        ) ?? []
        git.print(`Tagger: ${tag.tagger.name} <${tag.tagger.email}>\nDate:   ${date}\n`)
      }
      git.print(`\n${tag.message}\n`)
      oid = await peel(repository, oid, "commit")
    }
    const commit = await repository.objects.commit(oid)
    const isMerge = commit.parents.length > 1 && !line.has("first-parent")
    if (isMerge && diff.formats.has("patch") && !diff.none) {
      // A merge without changes of its own has no combined diff.
      const own = await mergeOnly(repository, commit, pathspec)
      if (own.length > 0) {
        git.warn(
          `git: the combined diff of a merge is not supported; use git show --first-parent (own changes: ${
            own.join(", ")
          })`,
        )
      }
    }
    const changes = isMerge && !diff.formats.has("patch") || !isMerge
      ? await prepareChanges(repository, await commitChanges(repository, commit, pathspec), diff)
      : undefined
    await printer.print(commit, changes)
    if (isMerge && changes === undefined && !diff.none && isNamedFormat(pretty.format) && !pretty.isTerminated) {
      git.print("\n")
    }
  }
}

const noSignature = { name: "", email: "", seconds: 0, zone: "+0000" }
const emptyCommit: Commit = { oid: "", tree: "", parents: [], author: noSignature, committer: noSignature, message: "" }

/** Files of a merge that differ from those of every parent. */
const mergeOnly = async (
  repository: Repository,
  commit: Commit,
  pathspec: Pathspec,
): Promise<ReadonlyArray<string>> => {
  const lists: Array<ReadonlySet<string>> = []
  for (const parent of commit.parents) {
    lists.push(
      new Set(
        (await commitChanges(repository, commit, pathspec, parent)).map(({ new: after, old }) =>
          (after ?? old)?.path ?? ""
        ),
      ),
    )
  }
  return [...lists[0] ?? []].filter((path) => lists.every((list) => list.has(path)))
}

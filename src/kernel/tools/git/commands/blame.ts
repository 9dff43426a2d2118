/** `git blame`. Source: git-blame(1). */
import { fatal, GitError, unsupported } from "../GitError.ts"
import type { Command } from "../Session.ts"
import { diffTexts } from "../diff/diffTexts.ts"
import { linesOf } from "../diff/textLines.ts"
import { formatDate } from "../history/dates.ts"
import { requireCommit } from "../history/revisions.ts"
import { parentsIn } from "../history/walkCommits.ts"
import { zeroOid } from "../repository/Refs.ts"
import type { Repository } from "../repository/Repository.ts"
import { type Commit, subjectOf } from "../repository/objects.ts"
import { repositoryPath } from "../worktree/Pathspec.ts"

interface Blamed {
  readonly commit: Commit
  /** The number of the line in that commit. */
  readonly line: number
  readonly isBoundary: boolean
  /** The parent with the file before the change. */
  readonly previous: string | undefined
}

const maxLines = 200_000

const blobAt = async (
  repository: Repository,
  commit: Commit,
  path: string,
): Promise<ReadonlyArray<string> | undefined> => {
  const entry = (await repository.objects.files(commit.tree)).get(path)
  return entry === undefined ? undefined : linesOf(await repository.objects.blob(entry.oid))
}

/** The commit of each line: lines that a parent also has are assigned to that parent. Renames are not followed. */
const blameLines = async (
  repository: Repository,
  start: Commit,
  path: string,
  lines: ReadonlyArray<string>,
): Promise<ReadonlyArray<Blamed | undefined>> => {
  const result = new Array<Blamed | undefined>(lines.length)
  const parents = await parentsIn(repository)
  const open = new Map<string, { commit: Commit; lines: ReadonlyArray<string>; of: Map<number, Array<number>> }>()
  open.set(start.oid, { commit: start, lines, of: new Map(lines.map((_, at) => [at, [at]])) })
  while (open.size > 0) {
    await repository.pause()
    const next = [...open.values()].reduce((a, b) => b.commit.committer.seconds > a.commit.committer.seconds ? b : a)
    open.delete(next.commit.oid)
    const own = new Map(next.of)
    let previous: string | undefined
    const before = parents(next.commit)
    for (const oid of before) {
      if (own.size === 0) break
      const parent = oid === zeroOid ? undefined : await repository.objects.commit(oid)
      const old = parent === undefined ? undefined : await blobAt(repository, parent, path)
      if (parent === undefined || old === undefined) continue
      previous ??= oid
      const changes = await diffTexts(old, next.lines, repository.pause)
      const passed = new Map<number, Array<number>>()
      let [shift, at] = [0, 0]
      for (const [line, targets] of [...own].sort(([a], [b]) => a - b)) {
        while (at < changes.length && (changes[at]?.bEnd ?? 0) <= line) {
          const change = changes[at++]
          if (change !== undefined) shift = change.aEnd - change.bEnd
        }
        const change = changes[at]
        if (change !== undefined && change.b <= line) continue
        passed.set(line + shift, targets)
        own.delete(line)
      }
      if (passed.size === 0) continue
      const known = open.get(oid)
      if (known === undefined) open.set(oid, { commit: parent, lines: old, of: passed })
      else for (const [line, targets] of passed) known.of.set(line, [...known.of.get(line) ?? [], ...targets])
    }
    for (const [line, targets] of own) {
      for (const target of targets) {
        result[target] = { commit: next.commit, line: line + 1, isBoundary: before.length === 0, previous }
      }
    }
  }
  return result
}

export const blame: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse(
    "blame",
    "L: l s e|show-email p|porcelain line-porcelain w M:: C:: date: root c t incremental b abbrev: reverse: f|show-name n|show-number",
    args,
  )
  line.refuse("w M C incremental reverse f n c t b abbrev", "leave it out")
  const operands = line.allOperands
  const given = operands.at(-1)
  if (given === undefined) throw new GitError(129, "usage: git blame [<options>] [<rev>] [--] <file>")
  const path = repositoryPath(repository, given)
  const revision = operands.length > 1 ? operands[0] : undefined
  const head = await requireCommit(repository, revision ?? "HEAD")
  let start = await repository.objects.commit(head)
  const stored = await blobAt(repository, start, path)
  if (stored === undefined) return fatal(`no such path '${path}' in ${revision ?? "HEAD"}`)
  let lines = stored
  if (revision === undefined && !repository.isBare) {
    // Uncommitted lines are assigned to a commit that does not exist.
    const now = await repository.readWorktree(path)
    if (now === undefined) return fatal(`Cannot lstat '${path}': No such file or directory`)
    lines = linesOf(now.bytes)
    const who = {
      name: "Not Committed Yet",
      email: "not.committed.yet",
      seconds: Math.floor(Number(repository.system.now() / 1_000_000_000n)),
      zone: "+0000",
    }
    if (lines.join("") !== stored.join("")) {
      start = {
        oid: zeroOid,
        tree: start.tree,
        parents: [head],
        author: who,
        committer: who,
        message: `Version of ${path} from ${path}`,
      }
    }
  }
  if (lines.length > maxLines) return fatal(`${path}: git blame of the sandbox takes ${maxLines} lines`)
  let [from, to] = [1, lines.length]
  const range = line.value("L")
  if (range !== undefined) {
    const [, first, plus, last] = /^(\d*)(?:,([+-]?)(\d*))?$/.exec(range) ??
      unsupported(`-L ${range}`, "give numbers of lines")
    from = first === "" ? 1 : Number(first)
    to = last === undefined || last === ""
      ? lines.length
      : plus === "+"
      ? from + Number(last) - 1
      : plus === "-"
      ? from
      : Number(last)
    if (plus === "-") from = Math.max(1, to - Number(last) + 1)
    if (from > lines.length) return fatal(`file ${path} has only ${lines.length} line${lines.length === 1 ? "" : "s"}`)
    to = Math.min(to, lines.length)
  }
  const blamed = await blameLines(repository, start, path, lines)
  const shown = blamed.slice(from - 1, to)
  const name = ({ commit }: Blamed): string => line.has("e") ? `<${commit.author.email}>` : commit.author.name
  const style = line.value("date") ?? await repository.config.get("blame.date") ?? "iso"
  const width = Math.max(...shown.map((each) => each === undefined ? 0 : [...name(each)].length))
  const digits = `${to}`.length
  if (line.has("p") || line.has("line-porcelain")) {
    const told = new Set<string>()
    shown.forEach((each, at) => {
      if (each === undefined) return
      const { commit } = each
      const previous = shown[at - 1]
      const follows = previous?.commit.oid === commit.oid && previous.line + 1 === each.line
      let count = 1
      while (shown[at + count]?.commit.oid === commit.oid && shown[at + count]?.line === each.line + count) count++
      git.printLine(`${commit.oid} ${each.line} ${from + at}${follows ? "" : ` ${count}`}`)
      if (!told.has(commit.oid) || line.has("line-porcelain")) {
        told.add(commit.oid)
        for (const [role, who] of [["author", commit.author], ["committer", commit.committer]] as const) {
          git.print(
            `${role} ${who.name}\n${role}-mail <${who.email}>\n${role}-time ${who.seconds}\n${role}-tz ${who.zone}\n`,
          )
        }
        git.print(`summary ${subjectOf(commit.message)}\n`)
        if (each.isBoundary) git.print("boundary\n")
        else if (each.previous !== undefined) git.printLine(`previous ${each.previous} ${path}`)
        git.print(`filename ${path}\n`)
      }
      git.out.putBinary(`\t${lines[from - 1 + at] ?? ""}${lines[from - 1 + at]?.endsWith("\n") === true ? "" : "\n"}`)
    })
    return
  }
  for (const [at, each] of shown.entries()) {
    if (each === undefined) continue
    const { commit, isBoundary } = each
    const marked = isBoundary && !line.has("root")
    const id = line.has("l")
      ? (marked ? `^${commit.oid.slice(0, 39)}` : commit.oid)
      : marked
      ? `^${commit.oid.slice(0, 7)}`
      : commit.oid.slice(0, 8)
    const date = formatDate(commit.author, style, repository.system)
    const number = `${from + at}`.padStart(digits)
    const person = line.has("s") ? ` ${number}) ` : ` (${name(each).padEnd(width)} ${date} ${number}) `
    const text = lines[from - 1 + at] ?? ""
    git.print(id + person)
    git.out.putBinary(text.endsWith("\n") ? text : `${text}\n`)
    await git.pause()
  }
}

/** Parses the options of commands that show changes, and prints the changes by them. Source: git-diff(1). */
import { fatal, unsupported } from "../GitError.ts"
import type { CommandLine, Session } from "../Session.ts"
import { abbreviate } from "../history/revisions.ts"
import { quotePath, renameName } from "../quotePath.ts"
import { zeroOid } from "../repository/Refs.ts"
import type { Repository } from "../repository/Repository.ts"
import { detectRenames, type FileChange, pathOf, readVersion } from "./changes.ts"
import type { DiffFormat, DiffOptions, FileStat } from "./diffTypes.ts"
import { diffTexts } from "./diffTexts.ts"
import { octal, printPatch } from "./printPatch.ts"
import { printStat, statLine, summaryLines } from "./printStat.ts"
import { isBinaryContent, linesOf } from "./textLines.ts"

export const diffSpec: string =
  "p|u|patch s|no-patch stat:: compact-summary shortstat numstat summary name-only name-status raw U|unified: " +
  "M|find-renames:: no-renames w|ignore-all-space b|ignore-space-change ignore-space-at-eol color:: no-color " +
  "exit-code quiet z R diff-filter: full-index no-prefix a|text abbrev:: no-ext-diff patch-with-stat minimal " +
  "word-diff:: color-words:: binary patience histogram diff-algorithm: relative:: S: G: C|find-copies:: ignore-blank-lines"

const refusals: Readonly<Record<string, string>> = {
  minimal: "leave it out",
  patience: "leave it out",
  histogram: "leave it out",
  "diff-algorithm": "leave it out",
  "word-diff": "compare lines",
  "color-words": "compare lines",
  binary: "read both versions by git cat-file",
  relative: "name paths after --",
  G: "use -S",
  C: "leave it out: git finds renames only",
  "ignore-blank-lines": "use -w",
  "compact-summary": "use --stat --summary",
}

const blankKey = (line: CommandLine): ((text: string) => string) | undefined => {
  if (line.has("w")) return (text) => text.replace(/\s+/g, "")
  if (line.has("b")) return (text) => text.replace(/\s+/g, " ").trimEnd()
  return line.has("ignore-space-at-eol") ? (text) => text.trimEnd() : undefined
}

export const readDiffOptions = async (
  git: Session,
  repository: Repository | undefined,
  line: CommandLine,
  otherwise: DiffFormat | undefined,
): Promise<DiffOptions> => {
  for (const [option, instead] of Object.entries(refusals)) line.refuse(option, instead)
  const color = line.lastValues.get("color")
  if (color !== undefined && color !== "never" && color !== "auto") unsupported("colored output", "leave out --color")
  const formats = new Set<DiffFormat>()
  for (const format of ["stat", "shortstat", "numstat", "summary", "name-only", "name-status", "raw"] as const) {
    if (line.has(format)) formats.add(format)
  }
  if (line.has("patch-with-stat")) formats.add("stat").add("patch")
  if (line.has("p") || (line.has("U") && formats.size === 0)) formats.add("patch")
  if (formats.size === 0 && otherwise !== undefined) formats.add(otherwise)
  const context = line.value("U") ?? await repository?.config.get("diff.context") ?? "3"
  if (!/^\d+$/.test(context)) fatal(`unrecognized argument: -U${context}`)
  const configured = await repository?.config.get("diff.renames")
  const keyOf = blankKey(line)
  const columns = git.system.env.get("COLUMNS") ?? ""
  return {
    formats,
    context: Number(context),
    renames: !line.has("no-renames") && (line.has("M") || !["false", "no", "0", "off"].includes(configured ?? "")),
    keyOf,
    ignoresBlanks: keyOf !== undefined,
    asText: line.has("a"),
    fullIndex: line.has("full-index"),
    prefix: line.has("no-prefix") ? ["", ""] : ["a/", "b/"],
    terminator: line.has("z") ? "\0" : "\n",
    reverse: line.has("R"),
    filter: line.value("diff-filter"),
    pickaxe: line.value("S"),
    quiet: line.has("quiet"),
    none: line.has("s"),
    statWidth: Number((line.value("stat") ?? "").split(",")[0]) || (/^[1-9]\d*$/.test(columns) ? Number(columns) : 80),
  }
}

const swap = (change: FileChange): FileChange => ({
  ...change,
  status: change.status === "A" ? "D" : change.status === "D" ? "A" : change.status,
  old: change.new,
  new: change.old,
})

/** Whether the number of times that a text occurs differs. */
const hasPickaxe = async (repository: Repository, change: FileChange, text: string): Promise<boolean> => {
  const count = async (version: FileChange["old"]): Promise<number> =>
    new TextDecoder().decode(await readVersion(repository, version)).split(text).length
  return await count(change.old) !== await count(change.new)
}

/** The changes to show, with renames detected, and reversed and filtered by the options. */
export const prepareChanges = async (
  repository: Repository,
  changes: ReadonlyArray<FileChange>,
  options: DiffOptions,
): Promise<ReadonlyArray<FileChange>> => {
  const turned = options.reverse ? changes.map(swap) : changes
  const found = options.renames ? await detectRenames(repository, turned) : turned
  const { filter, pickaxe } = options
  const kept: Array<FileChange> = []
  for (const change of found) {
    if (filter !== undefined) {
      const [wanted, unwanted] = [filter.replace(/[^A-Z]/g, ""), filter.replace(/[^a-z]/g, "").toUpperCase()]
      if ((wanted !== "" && !wanted.includes(change.status)) || unwanted.includes(change.status)) continue
    }
    if (pickaxe === undefined || await hasPickaxe(repository, change, pickaxe)) kept.push(change)
  }
  return kept
}

export const countLines = async (
  git: Session,
  repository: Repository,
  changes: ReadonlyArray<FileChange>,
  options: Pick<DiffOptions, "asText" | "keyOf">,
): Promise<ReadonlyArray<FileStat>> => {
  const stats: Array<FileStat> = []
  for (const change of changes) {
    await git.pause()
    if (change.status === "U") {
      stats.push({ change, added: 0, removed: 0, binary: undefined })
      continue
    }
    const [one, two] = [await readVersion(repository, change.old), await readVersion(repository, change.new)]
    if (!options.asText && (isBinaryContent(one) || isBinaryContent(two))) {
      const isSame = change.old?.oid !== undefined && change.old.oid === change.new?.oid
      stats.push({ change, added: 0, removed: 0, binary: isSame ? [0, 0] : [one.length, two.length] })
      continue
    }
    let [added, removed] = [0, 0]
    for (const { a, aEnd, b, bEnd } of await diffTexts(linesOf(one), linesOf(two), git.pause, options.keyOf)) {
      added += bEnd - b
      removed += aEnd - a
    }
    stats.push({ change, added, removed, binary: undefined })
  }
  return stats
}

const printRaw = async (git: Session, repository: Repository, change: FileChange): Promise<void> => {
  const { new: after, old: before, status } = change
  const id = (oid: string | undefined): string =>
    oid === undefined || oid === zeroOid ? zeroOid.slice(0, 7) : abbreviate(repository, oid)
  const letter = status === "R" ? `R${`${change.similarity}`.padStart(3, "0")}` : status
  // The content of the work tree has no id yet.
  const isStored = after?.oid !== undefined && await repository.objects.readIfExists(after.oid) !== undefined
  git.print(
    `:${octal(before?.mode ?? 0)} ${octal(after?.mode ?? 0)} ${id(before?.oid)} ${
      id(
        isStored ? after.oid : undefined,
      )
    } ${letter}\t${status === "R" ? `${quotePath(before?.path ?? "")}\t` : ""}${quotePath(pathOf(change))}\n`,
  )
}

/** Prints prepared changes in each requested format. */
export const printChanges = async (
  git: Session,
  repository: Repository,
  changes: ReadonlyArray<FileChange>,
  options: DiffOptions,
): Promise<void> => {
  const { formats, terminator } = options
  if (options.quiet || options.none || changes.length === 0) return
  const name = (path: string): string => terminator === "\0" ? path : quotePath(path)
  if (formats.has("raw")) { for (const change of changes) await printRaw(git, repository, change) }
  for (const change of changes) {
    const { new: after, old: before, similarity, status } = change
    if (formats.has("name-only")) git.print(name(pathOf(change)) + terminator)
    if (formats.has("name-status")) {
      const tab = terminator === "\0" ? "\0" : "\t"
      git.print(
        status === "R"
          ? `R${`${similarity}`.padStart(3, "0")}${tab}${name(before?.path ?? "")}${tab}${
            name(after?.path ?? "")
          }${terminator}`
          : `${status}${tab}${name(pathOf(change))}${terminator}`,
      )
    }
  }
  const needsCounts = formats.has("stat") || formats.has("shortstat") || formats.has("numstat")
  const stats = needsCounts ? await countLines(git, repository, changes, options) : []
  if (formats.has("numstat")) {
    for (const { added, binary, change, removed } of stats) {
      const counts = binary === undefined ? `${added}\t${removed}` : "-\t-"
      git.print(`${counts}\t${statName(change, terminator === "\0")}${terminator}`)
    }
  }
  if (formats.has("stat")) printStat(git, stats, options.statWidth)
  if (formats.has("shortstat")) git.print(statLine(stats))
  if (formats.has("summary")) git.print(summaryLines(changes))
  if (!formats.has("patch")) return
  if (formats.size > 1) git.print("\n")
  await printPatch(git, repository, changes, options)
}

const statName = ({ new: after, old: before, status }: FileChange, isPlain: boolean): string => {
  const path = (after ?? before)?.path ?? ""
  return status === "R" ? renameName(before?.path ?? "", path) : isPlain ? path : quotePath(path)
}

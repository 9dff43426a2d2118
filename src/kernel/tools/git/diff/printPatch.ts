/** Prints changes of files as patches. Source: git-diff(1) "GENERATING PATCH TEXT WITH -P". */
import { textToBinary } from "../../../binaryString.ts"
import { groupHunks } from "../../../diff/groupHunks.ts"
import type { Session } from "../Session.ts"
import { abbreviate } from "../history/revisions.ts"
import { quotePath } from "../quotePath.ts"
import { zeroOid } from "../repository/Refs.ts"
import type { Repository } from "../repository/Repository.ts"
import { type FileChange, type FileVersion, readVersion } from "./changes.ts"
import type { DiffOptions } from "./diffTypes.ts"
import { diffTexts } from "./diffTexts.ts"
import { isBinaryContent, linesOf } from "./textLines.ts"

const maxNameLength = 80

const range = (from: number, to: number): string =>
  to - from === 1 ? `${to}` : `${to === from ? from : from + 1},${to - from}`

/** The last line before an index that begins with a letter: it names the function, as git guesses. */
class FunctionLine {
  readonly #lines: ReadonlyArray<string>
  #searched = 0
  #name = ""

  constructor(lines: ReadonlyArray<string>) {
    this.#lines = lines
  }

  before(index: number): string {
    for (let at = index - 1; at >= this.#searched; at--) {
      const line = this.#lines[at] ?? ""
      if (!/^[A-Za-z_$]/.test(line)) continue
      this.#name = line.slice(0, maxNameLength).trimEnd()
      break
    }
    this.#searched = Math.max(this.#searched, index)
    return this.#name === "" ? "" : ` ${this.#name}`
  }
}

/** Prints hunks of two texts. Returns whether there are any. */
const printHunks = async (
  git: Session,
  one: ReadonlyArray<string>,
  two: ReadonlyArray<string>,
  { context, keyOf }: Pick<DiffOptions, "context" | "keyOf">,
): Promise<void> => {
  const changes = await diffTexts(one, two, git.pause, keyOf)
  const names = new FunctionLine(one)
  const put = (sign: string, lines: ReadonlyArray<string>): void => {
    for (const line of lines) {
      git.out.putBinary(line.endsWith("\n") ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`)
    }
  }
  for (const hunk of groupHunks(changes, context, [one.length, two.length], () => false)) {
    const { from, otherFrom, otherTo, to } = hunk
    git.out.putBinary(`@@ -${range(from, to)} +${range(otherFrom, otherTo)} @@${names.before(from)}\n`)
    let [done, otherDone] = [from, otherFrom]
    for (const { a, aEnd, b, bEnd } of hunk.changes) {
      // Lines that count as equal are shown as they are now.
      put(" ", two.slice(otherDone, b))
      put("-", one.slice(a, aEnd))
      put("+", two.slice(b, bEnd))
      done = aEnd
      otherDone = bEnd
    }
    put(" ", two.slice(otherDone, otherDone + to - done))
    await git.pause()
  }
}

export const octal = (mode: number): string => mode.toString(8).padStart(6, "0")

const idOf = async (repository: Repository, version: FileVersion | undefined, isFull: boolean): Promise<string> => {
  if (version === undefined) return isFull ? zeroOid : zeroOid.slice(0, 7)
  const oid = version.oid ?? await repository.objects.hash("blob", await readVersion(repository, version))
  return isFull ? oid : abbreviate(repository, oid)
}

const printOne = async (
  git: Session,
  repository: Repository,
  change: FileChange,
  options: DiffOptions,
): Promise<void> => {
  const { new: after, old: before, status } = change
  const [a, b] = options.prefix
  const [from, to] = [before?.path ?? after?.path ?? "", after?.path ?? before?.path ?? ""]
  if (status === "U") return git.print(`* Unmerged path ${quotePath(to)}\n`)
  if (status === "T") {
    await printOne(git, repository, { status: "D", old: before, new: undefined }, options)
    return printOne(git, repository, { status: "A", old: undefined, new: after }, options)
  }
  const [one, two] = [await readVersion(repository, before), await readVersion(repository, after)]
  const lines: Array<string> = [`diff --git ${quotePath(a + from)} ${quotePath(b + to)}`]
  if (before === undefined && after !== undefined) lines.push(`new file mode ${octal(after.mode)}`)
  else if (after === undefined && before !== undefined) lines.push(`deleted file mode ${octal(before.mode)}`)
  else if (before !== undefined && after !== undefined && before.mode !== after.mode) {
    lines.push(`old mode ${octal(before.mode)}`, `new mode ${octal(after.mode)}`)
  }
  if (status === "R") {
    lines.push(`similarity index ${change.similarity}%`, `rename from ${quotePath(from)}`, `rename to ${quotePath(to)}`)
  }
  const ids = [await idOf(repository, before, options.fullIndex), await idOf(repository, after, options.fullIndex)]
  const isSame = ids[0] === ids[1]
  if (!isSame) {
    lines.push(
      `index ${ids[0]}..${ids[1]}${
        before?.mode === after?.mode && before !== undefined ? ` ${octal(before.mode)}` : ""
      }`,
    )
  }
  const names = [
    before === undefined ? "/dev/null" : quotePath(a + from),
    after === undefined ? "/dev/null" : quotePath(b + to),
  ]
  const isBinary = !options.asText && (isBinaryContent(one) || isBinaryContent(two))
  const [left, right] = [linesOf(one), linesOf(two)]
  const hasHunks = !isSame && !isBinary && (await diffTexts(left, right, git.pause, options.keyOf)).length > 0
  // Where blanks do not count, a file without other changes is left out.
  if (options.ignoresBlanks && !hasHunks && lines.length === 2 && !isBinary) return
  git.out.putBinary(textToBinary(`${lines.join("\n")}\n`))
  if (isSame) return
  if (isBinary) return git.print(`Binary files ${names[0]} and ${names[1]} differ\n`)
  if (!hasHunks) return
  const tab = (name: string): string =>
    name.includes(" ") && name !== "/dev/null" && !name.startsWith('"') ? `${name}\t` : name
  git.out.putBinary(textToBinary(`--- ${tab(names[0] ?? "")}\n+++ ${tab(names[1] ?? "")}\n`))
  await printHunks(git, left, right, options)
}

export const printPatch = async (
  git: Session,
  repository: Repository,
  changes: ReadonlyArray<FileChange>,
  options: DiffOptions,
): Promise<void> => {
  for (const change of changes) {
    await printOne(git, repository, change, options)
    await git.pause()
  }
}

/** Parses patches as `git apply` reads them, of git and of diff(1). Source: git-diff(1), "Generating patch text with -p". */
import { binaryToText } from "../../../binaryString.ts"
import { isEpoch, nameOf, parseUnifiedHunk, type PatchHunk } from "../../../utilities/patch/parsePatch.ts"
import { unsupported } from "../GitError.ts"

/** The changes of one file. */
export interface GitPatch {
  /** Its path before; `undefined` for a new file. */
  readonly old: string | undefined
  /** Its path afterwards; `undefined` for a removed file. */
  readonly new: string | undefined
  readonly oldMode: number | undefined
  readonly newMode: number | undefined
  readonly isCopy: boolean
  /** Whether its paths start at the top of the repository. */
  readonly isGit: boolean
  readonly hunks: ReadonlyArray<PatchHunk>
}

type Draft = { -readonly [K in keyof GitPatch]: GitPatch[K] }

/** Removes the first `count` folders of a path; `undefined` if it has fewer. */
const strip = (path: string, count: number): string | undefined => {
  const parts = path.split(/\/+/)
  return count === 0 ? path : parts.length > count ? parts.slice(count).join("/") : undefined
}

/** Longest line `diff --git` that is read: twice the longest path. */
const maxHeadLength = 8_192

/** The name that both halves of `diff --git a/NAME b/NAME` have. */
const sharedName = (line: string, count: number): string | undefined => {
  if (line.length > maxHeadLength) return undefined
  const [, one, two] = /^diff --git ("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")$/.exec(line) ?? []
  if (one !== undefined && two !== undefined) return strip(nameOf(`    ${two}`), count)
  const rest = line.slice(11)
  for (let blank = rest.indexOf(" "); blank >= 0; blank = rest.indexOf(" ", blank + 1)) {
    const first = strip(rest.slice(0, blank), count)
    if (first !== undefined && first === strip(rest.slice(blank + 1), count)) return first
  }
  return undefined
}

const extended =
  /^(old mode|new mode|new file mode|deleted file mode|rename from|rename to|copy from|copy to|similarity index|dissimilarity index|index) (.*)$/

/** Parses the lines of a patch, binary strings with their newlines. `given` is the number of folders that `-p` removes. */
export function* parseGitPatch(
  lines: ReadonlyArray<string>,
  given: number | undefined,
): Generator<GitPatch | undefined> {
  const count = given ?? 1
  const bare = (at: number): string => (lines[at] ?? "").replace(/\r?\n$/, "")
  let at = 0
  const readHunks = function* (): Generator<undefined, ReadonlyArray<PatchHunk>> {
    const hunks: Array<PatchHunk> = []
    for (let next = parseUnifiedHunk(lines, at); next !== undefined; next = parseUnifiedHunk(lines, at)) {
      hunks.push(next[0])
      at = next[1]
      yield undefined
    }
    return hunks
  }
  /** The names of `---` and `+++`; `undefined` for `/dev/null` and the time of a file that does not exist. */
  const readNames = (folders: number): readonly [old: string | undefined, changed: string | undefined] => {
    const [old, changed] = [bare(at), bare(at + 1)].map((line) => {
      const name = nameOf(line)
      return name === "/dev/null" || isEpoch(line) ? undefined : strip(name, folders)
    })
    at += 2
    return [old, changed]
  }
  const hasNames = (): boolean => bare(at).startsWith("--- ") && bare(at + 1).startsWith("+++ ")
  while (at < lines.length) {
    if (at % 1_024 === 0) yield undefined
    const line = bare(at)
    if (line.startsWith("diff --git ")) {
      at++
      const name = sharedName(line, count)
      const draft: Draft = {
        old: name,
        new: name,
        oldMode: undefined,
        newMode: undefined,
        isCopy: false,
        isGit: true,
        hunks: [],
      }
      for (let found = extended.exec(bare(at)); found !== null; found = extended.exec(bare(++at))) {
        const [, key = "", value = ""] = found
        const path = strip(nameOf(`    ${value}`), count - 1)
        if (key === "rename from" || key === "copy from") draft.old = path
        else if (key === "rename to" || key === "copy to") draft.new = path
        else if (key.endsWith("mode")) {
          if (key !== "old mode" && key !== "deleted file mode") draft.newMode = parseInt(value, 8)
          if (key !== "new mode" && key !== "new file mode") draft.oldMode = parseInt(value, 8)
          if (key === "new file mode") draft.old = undefined
          if (key === "deleted file mode") draft.new = undefined
        } else if (key === "index") draft.oldMode ??= parseInt(/ (\d{6})$/.exec(value)?.[1] ?? "", 8) || undefined
        draft.isCopy ||= key === "copy to"
      }
      if (bare(at) === "GIT binary patch" || bare(at).startsWith("Binary files ")) {
        unsupported("a patch of a binary file", "copy the file")
      }
      if (hasNames() && bare(at + 2).startsWith("@@ ")) {
        const [old, changed] = readNames(count)
        if (draft.old === undefined) draft.new = changed
        else if (draft.new === undefined) draft.old = old
        else if (draft.old === draft.new || draft.old === undefined) [draft.old, draft.new] = [old, changed]
        draft.hunks = yield* readHunks()
      }
      yield draft
    } else if (hasNames() && bare(at + 2).startsWith("@@ -")) {
      const folders = given ?? (bare(at).includes("/") || bare(at + 1).includes("/") ? 1 : 0)
      const [old, changed] = readNames(folders)
      // Of `f` and `f.orig` the shorter one.
      const name = old !== undefined && changed?.startsWith(old) === true ? old : changed ?? old
      const hunks = yield* readHunks()
      const isNew = old === undefined && changed !== undefined
      const isRemoved = changed === undefined && old !== undefined
      yield {
        old: isNew ? undefined : name,
        new: isRemoved ? undefined : name,
        oldMode: undefined,
        newMode: undefined,
        isCopy: false,
        isGit: false,
        hunks,
      }
    } else at++
  }
}

/** A path of a patch as text. */
export const pathText = (path: string): string => binaryToText(path)

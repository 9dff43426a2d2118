/**
 * Writes a change as a part of a patch in git's format. Source: git-diff(1), "Generating patch text with -p"; diff(1).
 */
import { escapeQuotedByte } from "../escapeByte.ts"
import { encodeUtf8 } from "../../base/bytes.ts"
import { FileNode } from "../fs/Node.ts"
import { diffLines } from "../diff/diffLines.ts"
import { groupHunks } from "../diff/groupHunks.ts"
import { hunkRange, noNewline, signedLines } from "../diff/unifiedHunk.ts"
import { blobName, literalPatch } from "./binaryPatch.ts"
import { readStart } from "./compareContent.ts"
import type { NodeChange } from "./compareTrees.ts"
import type { FileVersion } from "./FileChange.ts"
import type { Turns } from "./Turns.ts"

/** The remaining limits of a patch. */
export interface PatchRoom {
  readonly contextLines: number
  readonly maxFileBytes: number
  /** Bytes that the part may have. */
  readonly bytes: number
}

/** A version of a file as a patch has it: a file or a link, whose content is its target. */
interface PatchSide {
  readonly mode: "100644" | "100755" | "120000"
  readonly bytes: Uint8Array
}

const noName = "0".repeat(40)

const modeOf = ({ kind, mode }: FileVersion): PatchSide["mode"] =>
  kind === "link" ? "120000" : (mode & 0o100) === 0 ? "100644" : "100755"

// deno-lint-ignore no-control-regex -- names of files may have control characters
const special = /[\x00-\x1f\x7f"\\]/g

/** A path in a header: quoted as in C if a character is special, otherwise unchanged. */
const quotePath = (path: string): string => {
  const quoted = path.replace(special, escapeQuotedByte)
  return quoted === path ? path : `"${quoted}"`
}

/** A path next to another one: patch(1) splits the line at blanks. */
const headerPath = (path: string): string => {
  const quoted = quotePath(path)
  return quoted === path && path.includes(" ") ? `"${path}"` : quoted
}

/** A path on a line of its own. A path with blanks is followed by a tab; otherwise the name would end at a blank. */
const titleOf = (path: string): string => {
  const quoted = quotePath(path)
  return quoted.includes(" ") ? `${quoted}\t` : quoted
}

/** The text of bytes; `undefined` if they are not UTF-8, or not text. */
const textOf = (bytes: Uint8Array): string | undefined => {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function* splitLines(text: string): Generator<void, ReadonlyArray<string>, void> {
  const lines: Array<string> = []
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf("\n", at)
    const end = newline < 0 ? text.length : newline + 1
    lines.push(text.slice(at, end))
    at = end
    if (lines.length % 16_384 === 0) yield
  }
  return lines
}

/** The hunks between two texts; `undefined` when they are longer than `maxLength`. */
const hunksBetween = async (
  before: string,
  after: string,
  { bytes, contextLines }: PatchRoom,
  turns: Turns,
): Promise<string | undefined> => {
  const [one, two] = [await turns.run(splitLines(before)), await turns.run(splitLines(after))]
  const changes = await diffLines(one, two, async () => await turns.pause())
  const parts: Array<string> = []
  let length = 0
  const put = (text: string): void => {
    parts.push(text)
    length += text.length
  }
  for (const hunk of groupHunks(changes, contextLines, [one.length, two.length], () => false)) {
    put(`${hunkRange(hunk)}\n`)
    for (const [sign, lines] of signedLines(hunk, one, two)) {
      for (const line of lines) put(line.endsWith("\n") ? sign + line : `${sign}${line}\n${noNewline}`)
      if (length > bytes) return undefined
      await turns.pause()
    }
  }
  return parts.join("")
}

const sectionOf = async (
  path: string,
  before: PatchSide | undefined,
  after: PatchSide | undefined,
  room: PatchRoom,
  turns: Turns,
): Promise<string | undefined> => {
  const head = [`diff --git ${headerPath(`a/${path}`)} ${headerPath(`b/${path}`)}`]
  if (before === undefined) head.push(`new file mode ${after?.mode}`)
  else if (after === undefined) head.push(`deleted file mode ${before.mode}`)
  else if (before.mode !== after.mode) head.push(`old mode ${before.mode}`, `new mode ${after.mode}`)
  const [old, now] = [before?.bytes ?? new Uint8Array(0), after?.bytes ?? new Uint8Array(0)]
  const [one, two] = [textOf(old), textOf(now)]
  if (one === undefined || two === undefined) {
    const names = [before && await blobName(old), after && await blobName(now)].map((name) => name ?? noName)
    const kept = before?.mode === after?.mode ? ` ${after?.mode}` : ""
    return `${head.join("\n")}\nindex ${names.join("..")}${kept}\n${await turns.run(literalPatch(now))}`
  }
  // Without it, git takes an empty file for one that is not in the patch.
  if (one === two && (before === undefined || after === undefined)) {
    const empty = (await blobName(new Uint8Array(0))).slice(0, 7)
    head.push(before === undefined ? `index 0000000..${empty}` : `index ${empty}..0000000`)
  }
  if (one === two) return `${head.join("\n")}\n`
  const hunks = await hunksBetween(one, two, room, turns)
  head.push(`--- ${before === undefined ? "/dev/null" : titleOf(`a/${path}`)}`)
  head.push(`+++ ${after === undefined ? "/dev/null" : titleOf(`b/${path}`)}`)
  return hunks === undefined ? undefined : `${head.join("\n")}\n${hunks}`
}

/** Whether a patch has the content of a version, not of folders and devices. */
const isInPatch = (version: FileVersion | undefined): version is FileVersion =>
  version?.kind === "file" || version?.kind === "link"

/** A file whose kind changes, and a link with another target, is removed and created again. */
const isTwoSections = ({ after, before, change }: NodeChange): boolean =>
  change === "replaced" || (change === "changed" && before?.kind === "link" && after?.kind === "link")

/** The parts of a patch for a change: removals come first, so that the paths are free for new files. */
export const hasRemoval = (change: NodeChange): boolean =>
  isInPatch(change.before) && (change.change === "removed" || isTwoSections(change))

export const hasRest = (change: NodeChange): boolean =>
  change.change === "removed" ? false : isInPatch(change.after) &&
    (change.change !== "mode" || (change.before !== undefined && modeOf(change.before) !== modeOf(change.after)))

/** Writes a part of a change for a path of the patch; `undefined` if it exceeds a limit. */
export const patchOf = async (
  change: NodeChange,
  path: string,
  removes: boolean,
  room: PatchRoom,
  turns: Turns,
): Promise<string | undefined> => {
  const { after, before } = change
  const hasBefore = isInPatch(before) && (removes || !isTwoSections(change))
  const hasAfter = isInPatch(after) && !removes
  for (const [has, version] of [[hasBefore, before], [hasAfter, after]] as const) {
    if (has && (version?.size ?? 0) > room.maxFileBytes) return undefined
  }
  if (hasBefore !== hasAfter && ((hasBefore ? before?.size : after?.size) ?? 0) > room.bytes) return undefined
  const sideOf = async (version: FileVersion, node: NodeChange["old"]): Promise<PatchSide> => ({
    mode: modeOf(version),
    bytes: version.target !== undefined ? encodeUtf8(version.target) : await contentOf(path, node, room, turns),
  })
  const section = await sectionOf(
    path,
    hasBefore ? await sideOf(before, change.old) : undefined,
    hasAfter ? await sideOf(after, change.now) : undefined,
    room,
    turns,
  )
  return section === undefined || encodeUtf8(section).length > room.bytes ? undefined : section
}

const contentOf = async (
  path: string,
  node: NodeChange["old"],
  { maxFileBytes }: PatchRoom,
  turns: Turns,
): Promise<Uint8Array> =>
  node instanceof FileNode ? await readStart(path, node, maxFileBytes, turns) : new Uint8Array(0)

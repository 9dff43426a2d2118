/** Parses and formats trees, commits and tags. Source: gitformat-pack(5), git-commit-tree(1), git-mktag(1). */
import { concatBytes } from "../../../../base/bytes.ts"
import { decodeLossless, encodeLossless } from "../../../../base/surrogateEscape.ts"
import { textToBinary } from "../../../binaryString.ts"
import { fatal } from "../GitError.ts"

export type ObjectType = "blob" | "commit" | "tag" | "tree"

export interface TreeEntry {
  readonly mode: number
  readonly name: string
  readonly oid: string
}

export const modes = {
  tree: 0o40000,
  file: 0o100644,
  executable: 0o100755,
  link: 0o120000,
  submodule: 0o160000,
} as const

/** A person and a time, of a commit, a tag or a reflog entry. */
export interface Signature {
  readonly name: string
  readonly email: string
  /** Seconds since 1970. */
  readonly seconds: number
  /** `+0100`. */
  readonly zone: string
}

export interface Commit {
  readonly oid: string
  readonly tree: string
  readonly parents: ReadonlyArray<string>
  readonly author: Signature
  readonly committer: Signature
  readonly message: string
}

export interface Tag {
  readonly object: string
  readonly type: string
  readonly name: string
  readonly tagger: Signature | undefined
  readonly message: string
}

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

export const oidBytes = (oid: string): Uint8Array =>
  Uint8Array.from({ length: 20 }, (_, at) => Number.parseInt(oid.slice(at * 2, at * 2 + 2), 16))

/** As git: the kinds are those of a tree, and of the permissions only one bit counts. */
const parseMode = (text: string): number => {
  if (!/^[0-7]{1,7}$/.test(text)) return fatal("malformed mode in tree entry")
  const mode = Number.parseInt(text, 8)
  switch (mode & 0o170000) {
    case 0o100000:
      return (mode & 0o100) === 0 ? modes.file : modes.executable
    case modes.tree:
    case modes.link:
      return mode & 0o170000
    default:
      return modes.submodule
  }
}

export const parseTree = (bytes: Uint8Array): ReadonlyArray<TreeEntry> => {
  const entries: Array<TreeEntry> = []
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(32, at)
    const end = bytes.indexOf(0, space)
    if (space < 0 || end < 0 || end + 21 > bytes.length) return fatal("corrupt tree file")
    entries.push({
      mode: parseMode(decodeLossless(bytes.subarray(at, space))),
      name: decodeLossless(bytes.subarray(space + 1, end)),
      oid: hex(bytes.subarray(end + 1, end + 21)),
    })
    at = end + 21
  }
  return entries
}

/** The order of git: by bytes, a tree as if its name ended with a slash. */
const sortTree = (entries: ReadonlyArray<TreeEntry>): ReadonlyArray<TreeEntry> => {
  const keyed = entries.map((entry) =>
    [textToBinary(entry.name) + (entry.mode === modes.tree ? "/" : ""), entry] as const
  )
  return keyed.sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0).map(([, entry]) => entry)
}

export const formatTree = (entries: ReadonlyArray<TreeEntry>): Uint8Array =>
  concatBytes(
    sortTree(entries).flatMap(({ mode, name, oid }) => [
      encodeLossless(`${mode.toString(8)} ${name}\0`),
      oidBytes(oid),
    ]),
  )

export const parseSignature = (text: string): Signature => {
  // Parsed by index: a pattern would take quadratic time if a hostile commit has many brackets.
  const start = text.indexOf("<")
  const end = text.indexOf(">", start)
  if (start < 0 || end < 0) return { name: "", email: "", seconds: 0, zone: "+0000" }
  const [, seconds = "0", zone = "+0000"] = /^ (-?\d+)(?: ([+-]\d{4}))?/.exec(text.slice(end + 1)) ?? []
  const name = text.slice(0, start)
  return {
    name: name.endsWith(" ") ? name.slice(0, -1) : name,
    email: text.slice(start + 1, end),
    seconds: Number(seconds),
    zone,
  }
}

export const formatSignature = ({ email, name, seconds, zone }: Signature): string =>
  `${name} <${email}> ${seconds} ${zone}`

/** The headers of a commit or a tag, and its message. */
const splitHeaders = (text: string): readonly [headers: ReadonlyArray<readonly [string, string]>, message: string] => {
  const end = text.indexOf("\n\n")
  const head = end < 0 ? text : text.slice(0, end)
  const headers = head.replaceAll("\n ", "\0").split("\n").map((line) => {
    const space = line.indexOf(" ")
    return [line.slice(0, space), line.slice(space + 1)] as const
  })
  return [headers, end < 0 ? "" : text.slice(end + 2)]
}

export const parseCommit = (oid: string, bytes: Uint8Array): Commit => {
  const [headers, message] = splitHeaders(decodeLossless(bytes))
  const first = (name: string): string => headers.find(([key]) => key === name)?.[1] ?? ""
  return {
    oid,
    tree: first("tree"),
    parents: headers.flatMap(([key, value]) => key === "parent" ? [value] : []),
    author: parseSignature(first("author")),
    committer: parseSignature(first("committer")),
    message,
  }
}

export const formatCommit = ({ author, committer, message, parents, tree }: Omit<Commit, "oid">): Uint8Array =>
  encodeLossless([
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${formatSignature(author)}`,
    `committer ${formatSignature(committer)}`,
    "",
    message,
  ].join("\n"))

export const parseTag = (bytes: Uint8Array): Tag => {
  const [headers, message] = splitHeaders(decodeLossless(bytes))
  const first = (name: string): string | undefined => headers.find(([key]) => key === name)?.[1]
  const tagger = first("tagger")
  return {
    object: first("object") ?? "",
    type: first("type") ?? "",
    name: first("tag") ?? "",
    tagger: tagger === undefined ? undefined : parseSignature(tagger),
    message,
  }
}

export const formatTag = ({ message, name, object, tagger, type }: Tag): Uint8Array =>
  encodeLossless([
    `object ${object}`,
    `type ${type}`,
    `tag ${name}`,
    ...tagger === undefined ? [] : [`tagger ${formatSignature(tagger)}`],
    "",
    message,
  ].join("\n"))

/** The first paragraph of a message on one line. */
export const subjectOf = (message: string): string => {
  const lines = message.split("\n")
  const start = lines.findIndex((line) => line.trim() !== "")
  if (start < 0) return ""
  const end = lines.findIndex((line, at) => at > start && line.trim() === "")
  return lines.slice(start, end < 0 ? undefined : end).map((line) => line.trim()).join(" ")
}

/** Returns the text after the first paragraph. */
export const bodyOf = (message: string): string => {
  const lines = message.split("\n")
  const start = lines.findIndex((line) => line.trim() !== "")
  const end = lines.findIndex((line, at) => at > start && line.trim() === "")
  if (start < 0 || end < 0) return ""
  const body = lines.findIndex((line, at) => at > end && line.trim() !== "")
  return body < 0 ? "" : lines.slice(body).join("\n")
}

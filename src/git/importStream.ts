/**
 * Writes blobs and a commit for git fast-import, so that a branch gets the whole commit or none of it.
 *
 * Source: git-fast-import(1).
 */
import { concatBytes, encodeUtf8 } from "../base/bytes.ts"

export interface ImportedCommit {
  readonly branch: string
  readonly parent: string
  /** As `git var` prints them: name, address, time. */
  readonly author: string
  readonly committer: string
  readonly message: string
  readonly files: ReadonlyArray<{ readonly path: string; readonly mode: string; readonly hash: string | undefined }>
}

const quotePath = (path: string): string =>
  `"${path.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r")}"`

const data = (content: string | Uint8Array): ReadonlyArray<Uint8Array> => {
  const bytes = typeof content === "string" ? encodeUtf8(content) : content
  return [encodeUtf8(`data ${bytes.length}\n`), bytes, encodeUtf8("\n")]
}

/** Writes contents as blobs; fast-import prints their names, one a line. */
export const importBlobs = (contents: ReadonlyArray<string | Uint8Array>): Uint8Array =>
  concatBytes([
    encodeUtf8("feature done\n"),
    ...contents.flatMap((content, at) => [
      encodeUtf8(`blob\nmark :${at + 1}\n`),
      ...data(content),
      encodeUtf8(`get-mark :${at + 1}\n`),
    ]),
    encodeUtf8("done\n"),
  ])

/** Writes a commit; fast-import prints its name. A file without a hash is removed. */
export const importCommit = ({ author, branch, committer, files, message, parent }: ImportedCommit): Uint8Array => {
  const changes = files.map(({ hash, mode, path }) =>
    hash === undefined ? `D ${quotePath(path)}\n` : `M ${mode} ${hash} ${quotePath(path)}\n`
  )
  return concatBytes([
    encodeUtf8(`feature done\ncommit refs/heads/${branch}\nmark :1\nauthor ${author}\ncommitter ${committer}\n`),
    ...data(`${message.trimEnd()}\n`),
    encodeUtf8(`from ${parent}\n${changes.join("")}get-mark :1\ndone\n`),
  ])
}

/**
 * Writes unified diffs as git does, and selects those of given paths.
 *
 * Source: git-diff(1), "Generating patch text with -p".
 */
import { encodeUtf8 } from "../base/bytes.ts"
import { cleanPath } from "./hostClient.ts"

export interface ChangedFile {
  readonly old_path: string
  readonly new_path: string
  readonly a_mode: string
  readonly b_mode: string
  readonly new_file: boolean
  readonly renamed_file: boolean
  readonly deleted_file: boolean
  readonly diff: string
}

const quoted = (path: string): string => /["\\\t\n\r]/.test(path) ? JSON.stringify(path) : path

export const fileDiff = (file: ChangedFile): string => {
  const [old, now] = [quoted(`a/${file.old_path}`), quoted(`b/${file.new_path}`)]
  // git ends a name with blanks by a tab.
  const end = (name: string) => /^[^"].*\s/.test(name) ? "\t" : ""
  const head = [
    `diff --git ${old} ${now}`,
    ...(file.new_file ? [`new file mode ${file.b_mode}`] : []),
    ...(file.deleted_file ? [`deleted file mode ${file.a_mode}`] : []),
    ...(!file.new_file && !file.deleted_file && file.a_mode !== file.b_mode
      ? [`old mode ${file.a_mode}`, `new mode ${file.b_mode}`]
      : []),
    ...(file.renamed_file ? [`rename from ${quoted(file.old_path)}`, `rename to ${quoted(file.new_path)}`] : []),
    ...(/^@@ /m.test(file.diff)
      ? [
        `--- ${file.new_file ? "/dev/null" : old + end(old)}`,
        `+++ ${file.deleted_file ? "/dev/null" : now + end(now)}`,
      ]
      : []),
  ]
  return `${head.join("\n")}\n${file.diff}${file.diff === "" || file.diff.endsWith("\n") ? "" : "\n"}`
}

/** A name as git quotes it: bytes other than visible ASCII become letters or octal digits. */
const octal = (path: string): string =>
  path.replace(/["\\]/g, "\\$&").replace(
    /[^ -~]+/g,
    (text) =>
      Array.from(encodeUtf8(text), (byte) => `\\${"abtnvfr"[byte - 7] ?? byte.toString(8).padStart(3, "0")}`).join(""),
  )

export const diffOf = (diff: string, paths: ReadonlyArray<string>): string => {
  const folders = paths.map(cleanPath)
  if (folders.length === 0 || folders.includes("")) return diff
  const names = folders.flatMap((path) => [path, octal(path)]).map((name) => name.replace(/\W/g, "\\$&")).join("|")
  // An empty or binary file is named in the first line alone.
  const isNamed = new RegExp(
    `^(?:(?:---|\\+{3}|diff --git .*) "?[ab]/|rename (?:from|to) "?)(?:${names})(?:[/"\t]|$)`,
    "m",
  )
  return diff.split(/^(?=diff --git )/m).filter((part) => isNamed.test(part.split(/^@@ /m, 1)[0] ?? "")).join("")
}

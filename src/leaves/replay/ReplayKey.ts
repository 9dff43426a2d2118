/**
 * By what a command is matched with a recorded one.
 *
 * @module
 */
import * as Result from "effect/Result"
import type { ShellExec } from "../../command/ShellExec.ts"
import { canonicalJson } from "../../base/canonicalJson.ts"
import type * as Redactor from "../../journal/redaction/Redactor.ts"
import { sha256 } from "../../base/sha256.ts"
import { ComputeBranch } from "../../compute/ComputeBranch.ts"
import { redactExec } from "../../compute/redaction.ts"

/** A field of a command that can be part of its key. */
export type ReplayKeyField =
  | "command"
  | "arguments"
  | "workingDirectory"
  | "environment"
  | "inheritEnvironment"
  | "input"
  | "useShell"
  | "mergeStreams"
  | "encoding"
  | "limits"
  | "commandId"

/** Fields that must be equal, or a function whose answers must be. */
export type ReplayKey = ReadonlyArray<ReplayKeyField> | ((exec: ShellExec) => string)

/** What makes two commands the same when nobody says otherwise. */
export const defaultKey: ReadonlyArray<ReplayKeyField> = [
  "command",
  "arguments",
  "workingDirectory",
  "input",
  "useShell",
]

/**
 * A command as a journal holds it: without the values of its secrets, and without what the redactor takes out. Only so
 * can one that is asked for be compared with one that was recorded.
 */
export const asRecorded = (exec: ShellExec, redactor: Redactor.Redactor | undefined): ShellExec => {
  const redacted = redactExec(exec, redactor)
  return Result.getOrElse(
    ComputeBranch.request.decode(ComputeBranch.request.encode(redacted), ComputeBranch.version),
    () => redacted,
  )
}

/** The fields of a command that are compared, each as canonical JSON. */
export const fieldsOf = (
  exec: ShellExec,
  fields: ReadonlyArray<ReplayKeyField>,
): ReadonlyArray<readonly [field: ReplayKeyField, value: string]> => {
  const encoded = ComputeBranch.request.encode(exec)
  return fields.map((field) => [field, canonicalJson(encoded[field] ?? null)])
}

/** The key of a command that is as it was recorded. Of fields it is a digest: an input may be large. */
export const keyOf = (exec: ShellExec, key: ReplayKey): string =>
  typeof key === "function" ? key(exec) : sha256(fieldsOf(exec, key).map(([, value]) => value).join("\n"))

/** Computes the key by which a command matches a recorded one. */
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
  | "shell"
  | "mergeStreams"
  | "encoding"
  | "limits"
  | "commandId"

/** The fields that must be equal, or a function whose results must be. */
export type ReplayKey = ReadonlyArray<ReplayKeyField> | ((exec: ShellExec) => string)

/**
 * The default key.
 *
 * @example
 * ```ts
 * import { ReplayShell } from "@sluice/shell/testing"
 *
 * // The same command with another input is the same recording.
 * const key = ReplayShell.defaultKey.filter((field) => field !== "input")
 * console.log(key.length === ReplayShell.defaultKey.length - 1) // true
 * ```
 */
export const defaultKey: ReadonlyArray<ReplayKeyField> = [
  "command",
  "arguments",
  "workingDirectory",
  "input",
  "useShell",
  "shell",
]

/**
 * Converts a command to its journaled form, without secret values and redacted text, so that it can be compared with a
 * recorded one.
 */
export const toRecordedForm = (exec: ShellExec, redactor: Redactor.Redactor | undefined): ShellExec => {
  const redacted = redactExec(exec, redactor)
  return Result.getOrElse(
    ComputeBranch.request.decode(ComputeBranch.request.encode(redacted), ComputeBranch.version),
    () => redacted,
  )
}

export const keyFields = (
  exec: ShellExec,
  fields: ReadonlyArray<ReplayKeyField>,
): ReadonlyArray<readonly [field: ReplayKeyField, value: string]> => {
  const encoded = ComputeBranch.request.encode(exec)
  return fields.map((field) => [field, canonicalJson(encoded[field] ?? null)])
}

/** The key of a command in its recorded form. Fields are hashed, as an input may be large. */
export const keyOf = (exec: ShellExec, key: ReplayKey): string =>
  typeof key === "function" ? key(exec) : sha256(keyFields(exec, key).map(([, value]) => value).join("\n"))

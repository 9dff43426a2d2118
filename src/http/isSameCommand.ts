/**
 * Whether a command is the one that was run under its id.
 *
 * @module
 */
import type { ShellExec } from "../command/ShellExec.ts"
import { canonicalJson } from "../base/canonicalJson.ts"
import type * as Redactor from "../journal/redaction/Redactor.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import { redactExec } from "../compute/redaction.ts"

const textOf = (exec: ShellExec): string => {
  const { maxOutputBytes: _, streamOutput: __, ...body } = ComputeBranch.request.encode(exec)
  return canonicalJson(body)
}

/**
 * Compares what a journal has of a command with one that is asked for: in everything but how much of its output is kept,
 * and whether it comes in chunks, which is a matter of the answer.
 */
export const isSameCommand = (
  stored: ShellExec,
  asked: ShellExec,
  redactor: Redactor.Redactor | undefined,
): boolean => textOf(stored) === textOf(redactExec(asked, redactor))

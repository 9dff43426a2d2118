/** Compares a journaled command with a requested one that has the same id. */
import type { ShellExec } from "../command/ShellExec.ts"
import { canonicalJson } from "../base/canonicalJson.ts"
import type * as Redactor from "../journal/redaction/Redactor.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import { redactExec } from "../compute/redaction.ts"

const textOf = (exec: ShellExec): string => {
  const { delivery: _, maxOutputBytes: __, streamOutput: ___, ...body } = ComputeBranch.request.encode(exec)
  return canonicalJson(body)
}

/**
 * Whether a journaled command equals a requested one, except for `maxOutputBytes`, `streamOutput` and `delivery`, which
 * concern the response and the requester alone.
 */
export const isSameCommand = (
  stored: ShellExec,
  requested: ShellExec,
  redactor: Redactor.Redactor | undefined,
): boolean => textOf(stored) === textOf(redactExec(requested, redactor))

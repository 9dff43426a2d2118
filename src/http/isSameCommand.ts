/**
 * Tells whether a journaled command equals a requested one with the same id, after redaction and apart from the options
 * that concern the response alone.
 */
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

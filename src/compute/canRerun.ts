/**
 * Determines whether a command whose host was lost may run again.
 *
 * @module
 */
import { isSecret } from "../command/Secret.ts"
import type { ShellExec } from "../command/ShellExec.ts"

/**
 * It has `onHostLoss: "rerun"`, and the journal has all of it: of a secret there is only a marker, and so it is with
 * an input that is too long to be stored.
 */
export const canRerun = ({ arguments: words, environment = {}, input, onHostLoss }: ShellExec): boolean =>
  onHostLoss === "rerun" && ![...words, ...Object.values(environment), input].some(isSecret)

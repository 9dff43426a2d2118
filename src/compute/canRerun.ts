/** Determines whether a command whose host was lost may run again. */
import { isSecret, referenceOf } from "../command/plain/secret.ts"
import type { ComputeRequest } from "./ComputeRequest.ts"

/**
 * A command may rerun if it has `onHostLoss: "rerun"` and the journal has all of it. The journal has only markers for
 * secrets, for input that is too long and for typed input.
 */
export const canRerun = (
  { arguments: words, delivery, environment = {}, input, onHostLoss }: ComputeRequest,
): boolean =>
  onHostLoss === "rerun" && delivery?.terminal === undefined &&
  ![...words, ...Object.values(environment), input].some((word) => isSecret(word) && referenceOf(word) === undefined)

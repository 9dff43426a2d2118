/** Determines whether a command whose host was lost may run again. */
import { isSecret, referenceOf } from "../command/plain/secret.ts"
import type { ComputeRequest } from "./ComputeRequest.ts"

/**
 * A command may rerun if it has `onHostLoss: "rerun"` and the journal has all of it. For secrets, input that is too long
 * and typed input, the journal has only markers.
 */
export const canRerun = (
  { arguments: words, delivery, environment = {}, input, onHostLoss }: ComputeRequest,
): boolean =>
  onHostLoss === "rerun" && delivery?.terminal === undefined &&
  ![...words, ...Object.values(environment), input].some((word) => isSecret(word) && referenceOf(word) === undefined)

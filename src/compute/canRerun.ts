/** Determines whether a command whose host was lost may run again. */
import { isSecret, referenceOf } from "../command/plain/secret.ts"
import type { ComputeRequest } from "./ComputeRequest.ts"

/**
 * It has `onHostLoss: "rerun"`, and the journal has all of it: of a secret there is only a marker, and so it is with
 * an input that is too long to be stored, and with what was typed into a terminal.
 */
export const canRerun = (
  { arguments: words, delivery, environment = {}, input, onHostLoss }: ComputeRequest,
): boolean =>
  onHostLoss === "rerun" && delivery?.terminal === undefined &&
  ![...words, ...Object.values(environment), input].some((word) => isSecret(word) && referenceOf(word) === undefined)

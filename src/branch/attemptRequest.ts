/** Runs the constructor of a request inside an Effect, and turns the error that it throws into a fault. */
import * as Effect from "effect/Effect"
import * as SchemaIssue from "effect/SchemaIssue"
import { errorMessage } from "../base/errorMessage.ts"
import { firstIssue } from "../base/firstIssue.ts"

/** The message of an error that a constructor throws. A Schema's own message says only that the validation failed. */
const messageOf = (error: unknown): string => {
  const issue = error instanceof Error && SchemaIssue.isIssue(error.cause) ? error.cause : undefined
  if (issue === undefined) return errorMessage(error)
  const { message, path } = firstIssue({ issue })
  return `${path.join(".")}: ${message}`
}

/** Makes a request when the effect runs: each run makes a new request, with a new id. An error of `make` becomes a fault. */
export const attemptRequest = <Request, Fault>(
  make: () => Request,
  makeFault: (message: string, error: unknown) => Fault,
): Effect.Effect<Request, Fault> => Effect.try({ try: make, catch: (error) => makeFault(messageOf(error), error) })

/** Defines the error with which a request fails within the kernel; programs get its reason. */
import type { HttpFailure, HttpFailureReason } from "./HttpCall.ts"

export class NetworkError extends Error {
  readonly reason: HttpFailureReason

  constructor(reason: HttpFailureReason, message: string) {
    super(`network: ${message}`)
    this.reason = reason
  }

  get failure(): HttpFailure {
    return { _tag: "Failure", reason: this.reason, message: this.message.slice("network: ".length) }
  }
}

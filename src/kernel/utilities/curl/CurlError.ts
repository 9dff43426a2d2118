/** Defines the failure of a transfer, with the exit code and the message of curl. Source: curl(1) "EXIT CODES". */
import type { HttpFailure } from "../../System.ts"
import type { BodyError } from "../http/readResponse.ts"

export class CurlError extends Error {
  readonly exitCode: number

  constructor(exitCode: number, message: string) {
    super(message)
    this.exitCode = exitCode
  }
}

const certificateHelp = `
More details here: https://curl.se/docs/sslcerts.html

curl failed to verify the legitimacy of the server and therefore could not
establish a secure connection to it. To learn more about this situation and
how to fix it, please visit the web page mentioned above.`

/** The failure for which there is no response. */
export const requestError = ({ message, reason }: HttpFailure, url: URL, millis: number): CurlError => {
  const host = url.hostname.replace(/^\[|\]$/g, "")
  const port = url.port === "" ? url.protocol === "https:" ? "443" : "80" : url.port
  const failedTo = `Failed to connect to ${host} port ${port}`
  switch (reason) {
    case "NotAllowed":
      return new CurlError(7, `${failedTo}: refused by the network policy of the sandbox: ${message}`)
    case "Busy":
    case "Descriptors":
      return new CurlError(7, `${failedTo}: ${message}`)
    case "Connect":
      return new CurlError(7, `${failedTo} after ${millis} ms: Couldn't connect to server`)
    case "NotFound":
      return new CurlError(6, `Could not resolve host: ${host}`)
    case "ConnectTimeout":
      return new CurlError(28, `Connection timed out after ${millis} milliseconds`)
    case "Timeout":
      return new CurlError(28, `Operation timed out after ${millis} milliseconds with 0 bytes received`)
    case "InvalidRequest":
      return new CurlError(43, message)
    case "Tls":
      return new CurlError(35, `TLS connect error: ${message}`)
    case "Certificate":
      return new CurlError(60, `SSL certificate problem: ${message}${certificateHelp}`)
    case "NoResponse":
      return new CurlError(52, "Empty reply from server")
    case "Malformed":
      return new CurlError(8, `Weird server reply: ${message}`)
    case "HeadersTooLong":
    case "Reset":
      return new CurlError(56, reason === "Reset" ? "Recv failure: Connection reset by peer" : message)
    case "Truncated":
      return new CurlError(18, message)
    case "TooLong":
      return new CurlError(63, `Maximum file size exceeded: ${message}`)
  }
}

/** The failure for which a body is not complete. `expected`: its length, if it is known. */
export const bodyError = (
  { message, reason }: BodyError,
  url: URL,
  millis: number,
  received: number,
  expected: number | undefined,
): CurlError => {
  if (reason === "Coding") return new CurlError(61, `Error while processing content unencoding: ${message}`)
  if (reason !== "Timeout") return requestError({ _tag: "Failure", reason, message }, url, millis)
  const of = expected === undefined ? "" : ` out of ${expected}`
  return new CurlError(28, `Operation timed out after ${millis} milliseconds with ${received}${of} bytes received`)
}

/** Sends a request of a process, and opens the body of the response as one of its files. */
import { errorMessage } from "../../base/errorMessage.ts"
import type { OpenFile } from "../OpenFile.ts"
import type { WaitStatus } from "../System.ts"
import { StreamSource } from "../process/StreamSource.ts"
import type { HttpFailure, HttpFailureReason, HttpRequest, HttpResponse } from "./HttpCall.ts"
import type { NetworkCalls } from "./makeNetwork.ts"

interface RequestingProcess {
  readonly onEnd: Array<() => void>
  readonly status: WaitStatus | undefined
}

const failed = (reason: HttpFailureReason, message: string): HttpFailure => ({ _tag: "Failure", reason, message })

const failureOf = (cause: unknown): HttpFailure =>
  cause instanceof Error && "failure" in cause && isFailure(cause.failure)
    ? cause.failure
    : failed("Connect", errorMessage(cause))

const isFailure = (value: unknown): value is HttpFailure =>
  typeof value === "object" && value !== null && "_tag" in value && value._tag === "Failure"

/** Never rejects. The end of the process ends the request. */
export const requestFor = async (
  process: RequestingProcess,
  network: NetworkCalls | undefined,
  request: HttpRequest,
  addFile: (file: OpenFile) => number,
): Promise<HttpResponse | HttpFailure> => {
  if (network === undefined) return failed("NotAllowed", "nothing is allowed")
  const ended = new AbortController()
  const end = (): void => ended.abort()
  process.onEnd.push(end)
  const forget = (): void => {
    const at = process.onEnd.indexOf(end)
    if (at >= 0) process.onEnd.splice(at, 1)
  }
  try {
    const { close, read, ...response } = await network.open(request, ended.signal)
    let failure: HttpFailure | undefined
    const source = new StreamSource({
      pull: async () => {
        try {
          return await read()
        } catch (cause) {
          failure = failureOf(cause)
          throw cause
        }
      },
      cancel: () => {
        forget()
        close()
      },
    })
    const fd = process.status === undefined ? addFile(source) : -1
    if (fd >= 0) return { _tag: "Response", ...response, fd, failure: () => failure }
    source.release()
    return failed("Descriptors", "too many open files")
  } catch (cause) {
    forget()
    return failureOf(cause)
  }
}

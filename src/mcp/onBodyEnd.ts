/** Calls a function when the body of a response has been read to its end, has failed or was cancelled. */
/**
 * Returns the response with a body that calls `done` at its end, at its failure or when it is cancelled; at once
 * without a body.
 */
export const onBodyEnd = (response: Response, done: () => void): Response => {
  if (response.body === null) {
    done()
    return response
  }
  const reader = response.body.getReader()
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const next = await reader.read()
        if (!next.done) return controller.enqueue(next.value)
        done()
        controller.close()
      } catch (error) {
        done()
        controller.error(error)
      }
    },
    cancel: async (reason) => {
      done()
      await reader.cancel(reason)
    },
  }, { highWaterMark: 0 })
  return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers })
}
